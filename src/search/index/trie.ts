import { COST, EditTable } from "./edit-distance.ts";
import { type Count, SCRIPTS, scriptOf } from "./evidence.ts";
import type { Range } from "./ranges.ts";
import type { Letters } from "./word-list.ts";

/** Words are compared by their first 32 letters. */
export const MAX_DEPTH = 32;

/** A trie of words: one node for each different beginning, in depth-first order. */
export interface TrieData {
  /** The last letter of each node. */
  readonly letters: Uint16Array<ArrayBuffer>;
  /** How many letters its beginning has. */
  readonly depths: Uint8Array<ArrayBuffer>;
  /** The next node that does not continue it. */
  readonly next: Uint32Array<ArrayBuffer>;
  /** The letters of the node and of those below it, as `bitOf` has them. */
  readonly within: Uint32Array<ArrayBuffer>;
  /** The first word that begins with it. */
  readonly firstWords: Uint32Array<ArrayBuffer>;
  /** How many beginnings of each length there are by script, and how many of them are words. */
  readonly beginnings: Uint32Array<ArrayBuffer>;
  readonly wholes: Uint32Array<ArrayBuffer>;
}

const ROW = MAX_DEPTH + 2;

/** Words that begin with the corrected text or, if `whole`, are the corrected text. */
interface Correction {
  readonly words: Range;
  readonly cost: number;
  readonly whole: boolean;
}

export function trieData(words: Letters): TrieData {
  const size = countNodes(words);
  const letters = new Uint16Array(size);
  const depths = new Uint8Array(size);
  const next = new Uint32Array(size);
  const within = new Uint32Array(size);
  const firstWords = new Uint32Array(size);
  const beginnings = new Uint32Array(SCRIPTS.length * ROW);
  const wholes = new Uint32Array(SCRIPTS.length * ROW);
  const open: number[] = [];
  let node = 0;
  const closeTo = (depth: number) => {
    while (open.length > depth) {
      const closed = open.pop() ?? 0;
      next[closed] = node;
      const parent = open.at(-1);
      if (parent !== undefined) within[parent] = (within[parent] ?? 0) | (within[closed] ?? 0);
    }
  };
  for (let word = 0; word < words.size; word++) {
    const shared = word === 0 ? 0 : sharedLetters(words, word - 1, word);
    const row = scriptOf(words.letter(word, 0)) * ROW;
    closeTo(shared);
    for (let depth = shared + 1; depth <= Math.min(words.lengthOf(word), MAX_DEPTH); depth++) {
      letters[node] = words.letter(word, depth - 1);
      within[node] = bitOf(letters[node] ?? 0);
      depths[node] = depth;
      firstWords[node] = word;
      add(beginnings, row + depth);
      open.push(node++);
    }
    if (words.lengthOf(word) <= MAX_DEPTH) add(wholes, row + words.lengthOf(word));
  }
  closeTo(0);
  return { letters, depths, next, within, firstWords, beginnings, wholes };
}

/** A bit for a letter, which some letters of other alphabets share. */
function bitOf(letter: number): number {
  return 1 << (letter & 31);
}

function lettersIn(text: string): number {
  let bits = 0;
  for (let at = 0; at < text.length; at++) bits |= bitOf(text.charCodeAt(at));
  return bits;
}

/** https://en.wikipedia.org/wiki/Hamming_weight#Efficient_implementation */
function countBits(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function add(counts: Uint32Array, at: number): void {
  counts[at] = (counts[at] ?? 0) + 1;
}

function countNodes(words: Letters): number {
  let nodes = 0;
  for (let word = 0; word < words.size; word++) {
    const shared = word === 0 ? 0 : sharedLetters(words, word - 1, word);
    nodes += Math.max(0, Math.min(words.lengthOf(word), MAX_DEPTH) - shared);
  }
  return nodes;
}

function sharedLetters(words: Letters, a: number, b: number): number {
  const most = Math.min(words.lengthOf(a), words.lengthOf(b), MAX_DEPTH);
  let shared = 0;
  while (shared < most && words.letter(a, shared) === words.letter(b, shared)) shared++;
  return shared;
}

/** Finds words despite typing errors. */
export class Trie {
  readonly #data: TrieData;
  readonly #words: Letters;

  constructor(data: TrieData, words: Letters) {
    this.#data = data;
    this.#words = words;
  }

  /**
   * The words that begin with `typed` or equal it after corrections of at most `budget`. Fills the table of the edit
   * distance row by row on the way down, and skips branches that cost too much: each typed letter that they do not
   * have is another one or one too many.
   */
  corrections(typed: string, budget: number, isOver: () => boolean): Correction[] {
    const table = new EditTable(typed, MAX_DEPTH, budget);
    const cheapest = new Uint16Array(MAX_DEPTH + 1).fill(0xffff);
    const isSpent = new Uint8Array(MAX_DEPTH + 1);
    const found: Correction[] = [];
    const { letters, depths, next, within } = this.#data;
    const sought = lettersIn(typed);
    const mostAbsent = Math.floor(budget / Math.min(COST.other, COST.extra));
    /** The letters on the way down to each depth. */
    const passed = new Uint32Array(MAX_DEPTH + 1);
    for (let node = 0; node < letters.length; ) {
      const depth = depths[node] ?? 0;
      const letter = letters[node] ?? 0;
      const above = passed[depth - 1] ?? 0;
      if (countBits(sought & ~(above | (within[node] ?? 0))) > mostAbsent) {
        node = next[node] ?? letters.length;
        continue;
      }
      const isOff = isSpent[depth - 1] === 1 && !table.goesOnAt(depth - 1, letter);
      if (isOff || !table.fill(depth, letter)) {
        node = next[node] ?? letters.length;
        continue;
      }
      if (isOver()) break;
      isSpent[depth] = table.isSpentAt(depth) ? 1 : 0;
      passed[depth] = above | bitOf(letter);
      const cost = table.costAt(depth);
      const before = cheapest[depth - 1] ?? 0;
      cheapest[depth] = Math.min(before, cost);
      if (cost <= budget) this.#collect(node, cost, cost < before, found);
      node++;
    }
    return found;
  }

  /** Counts the beginnings of each length, or the whole words, of a script. */
  counter(script: number, of: "beginnings" | "wholes"): Count {
    const counts = this.#data[of];
    return (length) => counts[script * ROW + Math.min(length, MAX_DEPTH)] ?? 0;
  }

  #collect(node: number, cost: number, cheaper: boolean, found: Correction[]): void {
    const { depths, next, firstWords } = this.#data;
    const first = firstWords[node] ?? 0;
    if (this.#words.lengthOf(first) === depths[node]) {
      found.push({ words: { start: first, end: first + 1 }, cost, whole: true });
    }
    if (!cheaper) return;
    const end = firstWords[next[node] ?? 0] ?? this.#words.size;
    found.push({ words: { start: first, end }, cost, whole: false });
  }
}
