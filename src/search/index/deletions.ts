import { COST, type Count, EditTable, SCRIPTS, scriptOf } from "./edit-distance.ts";
import { type Groups, groupByHash, type Range, Uint32List, withHash } from "./numbers.ts";
import type { WordList } from "./word-list.ts";

/** Words are compared by their first 32 letters. */
const MAX_DEPTH = 32;

/** The beginnings of words that are found despite errors; longer words are found by their first letters. */
const LONGEST = 7;
/** How many letters of a beginning may be missing; only one of a shorter one. */
const MOST_DELETED = 2;
const SHORTEST_OF_TWO = 6;

/**
 * A dictionary of the beginnings of words, keyed by them without one or two letters. A typed text with that many
 * errors shares a key with the word that it means (https://en.wikipedia.org/wiki/Approximate_string_matching, as
 * symmetric deletion).
 */
export interface DeletionsData {
  /** By key, the first word with the beginning, and the beginning's length in the last three bits. */
  readonly beginnings: Groups;
  /** How many beginnings of each length there are by script, and how many of them are words. */
  readonly begun: Uint32Array<ArrayBuffer>;
  readonly wholes: Uint32Array<ArrayBuffer>;
}

const ROW = MAX_DEPTH + 2;

/** Words that begin with the corrected text or, if `whole`, are the corrected text. */
interface Correction {
  readonly words: Range;
  readonly cost: number;
  readonly whole: boolean;
}

export function deletionsData(words: WordList): DeletionsData {
  const keys = new Uint32List();
  const beginnings = new Uint32List();
  const begun = new Uint32Array(SCRIPTS.length * ROW);
  const wholes = new Uint32Array(SCRIPTS.length * ROW);
  const first = new Uint16Array(LONGEST);
  for (let word = 0; word < words.size; word++) {
    const length = words.lengthOf(word);
    for (let at = 0; at < Math.min(length, LONGEST); at++) first[at] = words.letter(word, at);
    const row = scriptOf(words.letter(word, 0)) * ROW;
    const shared = word === 0 ? 0 : sharedLetters(words, word - 1, word);
    for (let depth = shared + 1; depth <= Math.min(length, MAX_DEPTH); depth++) {
      add(begun, row + depth);
      if (depth > LONGEST) continue;
      eachKey(first, depth, depth < SHORTEST_OF_TWO ? 1 : MOST_DELETED, (key) => {
        keys.push(key);
        beginnings.push(word * (LONGEST + 1) + depth);
      });
    }
    if (length <= MAX_DEPTH) add(wholes, row + length);
  }
  // About two beginnings in each group.
  const groups = Math.ceil((keys.length + 1) / 2);
  return { beginnings: groupByHash(keys.toArray(), beginnings.toArray(), groups), begun, wholes };
}

function add(counts: Uint32Array, at: number): void {
  counts[at] = (counts[at] ?? 0) + 1;
}

function sharedLetters(words: WordList, a: number, b: number): number {
  const most = Math.min(words.lengthOf(a), words.lengthOf(b), MAX_DEPTH);
  let shared = 0;
  while (shared < most && words.letter(a, shared) === words.letter(b, shared)) shared++;
  return shared;
}

/** Visits what the first letters hash to, whole and without up to `most` of them, with how many are left. */
function eachKey(
  letters: Uint16Array,
  length: number,
  most: number,
  visit: (key: number, left: number) => void,
): void {
  const hash = (before: number, from: number) => {
    let key = before;
    for (let at = from; at < length; at++) key = hashOn(key, letters[at] ?? 0);
    return key >>> 0;
  };
  visit(hash(0, 0), length);
  let beforeOne = 0;
  for (let one = 0; one < length; one++) {
    // Deleting either of a double letter gives the same.
    if (one === 0 || letters[one] !== letters[one - 1]) {
      visit(hash(beforeOne, one + 1), length - 1);
      let beforeOther = beforeOne;
      for (let other = one + 1; most > 1 && other < length; other++) {
        visit(hash(beforeOther, other + 1), length - 2);
        beforeOther = hashOn(beforeOther, letters[other] ?? 0);
      }
    }
    beforeOne = hashOn(beforeOne, letters[one] ?? 0);
  }
}

function hashOn(hash: number, letter: number): number {
  return Math.imul(hash ^ letter, 0x9e3779b1);
}

/** A typed text that may have errors. The dictionaries of all segments read it. */
export class Misspelt {
  /** What the errors may cost. */
  readonly budget: number;
  readonly mostDeleted: number;
  readonly table: EditTable;
  /** What its first letters hash to, whole and without some of them, and how many are left. */
  readonly keys: (readonly [key: number, left: number])[] = [];

  constructor(text: string, budget: number) {
    this.budget = budget;
    this.mostDeleted = budget < 2 * COST.swapped ? 1 : MOST_DELETED;
    this.table = new EditTable(text, MAX_DEPTH, budget);
    const first = Uint16Array.from(text.slice(0, LONGEST), (letter) => letter.charCodeAt(0));
    if (budget > 0) {
      eachKey(first, first.length, this.mostDeleted, (key, left) => this.keys.push([key, left]));
    }
  }
}

/** Finds words despite typing errors. */
export class Deletions {
  readonly #data: DeletionsData;
  readonly #words: WordList;

  constructor(data: DeletionsData, words: WordList) {
    this.#data = data;
    this.#words = words;
  }

  /** The words that begin with the typed text or equal it after corrections, some of them twice. */
  of(typed: Misspelt): Correction[] {
    const found: Correction[] = [];
    const seen = new Set<number>();
    for (const [key, left] of typed.keys) {
      for (const beginning of withHash(this.#data.beginnings, key)) {
        const length = beginning % (LONGEST + 1);
        if (length < left || length > left + typed.mostDeleted || seen.has(beginning)) continue;
        seen.add(beginning);
        this.#compare(Math.floor(beginning / (LONGEST + 1)), length, typed, found);
      }
    }
    return found;
  }

  /** Counts the beginnings of each length, or the whole words, of a script. */
  counter(script: number, of: "beginnings" | "wholes"): Count {
    const counts = of === "wholes" ? this.#data.wholes : this.#data.begun;
    return (length) => counts[script * ROW + Math.min(length, MAX_DEPTH)] ?? 0;
  }

  /** Compares what was typed with a beginning, and with the words that go on from the longest ones. */
  #compare(first: number, depth: number, typed: Misspelt, found: Correction[]): void {
    const { table, budget } = typed;
    const words = this.#words;
    let least = Number.POSITIVE_INFINITY;
    for (let at = 1; at <= depth; at++) {
      if (!table.fill(at, words.letter(first, at - 1))) return;
      if (at < depth) least = Math.min(least, table.costAt(at));
    }
    const cost = table.costAt(depth);
    const isWord = words.lengthOf(first) === depth;
    if (cost <= budget && isWord) found.push({ words: { start: first, end: first + 1 }, cost, whole: true });
    if (depth < LONGEST && cost >= least) return;
    if (cost <= budget && cost < least) {
      found.push({ words: words.sharing(first, depth), cost, whole: false });
    }
    if (depth < LONGEST) return;
    for (let word = isWord ? first + 1 : first; word < words.size; word++) {
      if (word > first && sharedLetters(words, first, word) < LONGEST) return;
      this.#compareOn(word, Math.min(cost, least), typed, found);
    }
  }

  /** Compares with a word whose first letters are in the table. */
  #compareOn(word: number, before: number, { table, budget }: Misspelt, found: Correction[]): void {
    const length = Math.min(this.#words.lengthOf(word), MAX_DEPTH);
    let least = before;
    for (let depth = LONGEST + 1; depth <= length; depth++) {
      if (!table.fill(depth, this.#words.letter(word, depth - 1))) return;
      const cost = table.costAt(depth);
      if (cost > budget) continue;
      const words = { start: word, end: word + 1 };
      if (depth === this.#words.lengthOf(word)) found.push({ words, cost, whole: true });
      if (cost < least) found.push({ words, cost, whole: false });
      least = Math.min(least, cost);
    }
  }
}
