import type { AddedWords } from "./added-words.ts";
import { type Deletions, MAX_DEPTH } from "./deletions.ts";
import { type Count, SCRIPTS, scriptOf } from "./evidence.ts";
import type { KnownWords } from "./known-words.ts";
import type { Range } from "./ranges.ts";
import type { WordList } from "./word-list.ts";

/** Words by number with something in common, such as their beginning: some of the base, and some added ones. */
export interface Span {
  readonly base: Range;
  readonly added: Range;
}

/** Words that begin with the corrected text or, if `whole`, are the corrected text. */
interface Correction {
  readonly words: Span;
  readonly cost: number;
  readonly whole: boolean;
}

/** The words that some letters begin with. */
interface Beginnings {
  /** Where the words end. */
  readonly ends: readonly number[];
  /** Whether a word has all of the letters; it may go on. */
  readonly isOpen: boolean;
}

/** How the words of a base have changed. */
export interface ChangedWords {
  /** Words that the base does not have. Their numbers go on from those of the base. */
  readonly added: AddedWords;
  /** Words of the base that no record has any more. */
  readonly dead: ReadonlySet<number>;
}

const NOWHERE: Range = { start: 0, end: 0 };

/** The words of a base as they are after changes, found by beginning and despite errors. */
export class Vocabulary {
  readonly #known: KnownWords;
  readonly #list: WordList;
  readonly #deletions: Deletions;
  readonly #added: AddedWords;
  readonly #dead: ReadonlySet<number>;
  #growth: VocabularyGrowth | undefined;

  constructor(known: KnownWords, { added, dead }: ChangedWords) {
    this.#known = known;
    this.#list = known.list;
    this.#deletions = known.deletions;
    this.#added = added;
    this.#dead = dead;
  }

  /** Above the number of any word. */
  get limit(): number {
    return this.#list.size + this.#added.size;
  }

  /** The number of a word, or -1. */
  find(word: string): number {
    const n = this.#list.find(word);
    if (n >= 0) return this.#dead.has(n) ? -1 : n;
    const added = this.#added.find(word);
    return added < 0 ? -1 : this.#list.size + added;
  }

  /** A word alone, or an empty span. */
  spanOf(word: string): Span {
    const n = this.find(word);
    const alone = { start: n, end: n + 1 };
    if (n < 0) return { base: NOWHERE, added: NOWHERE };
    return n < this.#list.size ? { base: alone, added: NOWHERE } : { base: NOWHERE, added: alone };
  }

  /** The words that begin with a prefix, maybe dead ones among them. */
  beginningWith(prefix: string): Span {
    return { base: this.#list.beginningWith(prefix), added: this.#moved(this.#added.beginningWith(prefix)) };
  }

  /** True if a word begins with the prefix. */
  hasBeginning(prefix: string): boolean {
    const { base, added } = this.beginningWith(prefix);
    if (added.end > added.start || base.end - base.start > this.#dead.size) return true;
    for (let word = base.start; word < base.end; word++) if (!this.#dead.has(word)) return true;
    return false;
  }

  /** The words that letters begin with from a place on, maybe dead ones among them. */
  beginningsOf(letters: string, from: number): Beginnings {
    const base = beginningsIn(this.#list, letters, from);
    const added = beginningsIn(this.#added, letters, from);
    return { ends: [...new Set([...base.ends, ...added.ends])], isOpen: base.isOpen || added.isOpen };
  }

  /** The words of a span in order, without dead ones. */
  *inOrder({ base, added }: Span): Generator<number> {
    let next = added.start;
    for (let word = base.start; word < base.end; word++) {
      if (this.#dead.has(word)) continue;
      if (next < added.end) {
        const text = this.#list.word(word);
        while (next < added.end && this.word(next) < text) yield next++;
      }
      yield word;
    }
    while (next < added.end) yield next++;
  }

  word(n: number): string {
    return n < this.#list.size ? this.#list.word(n) : this.#added.word(n - this.#list.size);
  }

  lengthOf(n: number): number {
    return n < this.#list.size ? this.#list.lengthOf(n) : this.#added.lengthOf(n - this.#list.size);
  }

  /** A letter of a word as its UTF-16 code unit. */
  letter(n: number, index: number): number {
    const size = this.#list.size;
    return n < size ? this.#list.letter(n, index) : this.#added.letter(n - size, index);
  }

  /** The words that begin with `typed` or equal it after corrections of at most `budget`. */
  corrections(typed: string, budget: number): Correction[] {
    const base = this.#deletions.corrections(typed, budget).map((found) => {
      return { ...found, words: { base: found.words, added: NOWHERE } };
    });
    if (this.#added.size === 0) return base;
    const added = this.#added.deletions.corrections(typed, budget).map((found) => {
      return { ...found, words: { base: NOWHERE, added: this.#moved(found.words) } };
    });
    return [...base, ...added];
  }

  /** Counts the beginnings of each length, or the whole words, of a script. */
  counter(script: number, of: "beginnings" | "wholes"): Count {
    const count = this.#deletions.counter(script, of);
    if (this.#added.size === 0 && this.#dead.size === 0) return count;
    this.#growth ??= this.#measureGrowth();
    const growth = this.#growth[of];
    return (length) => count(length) + (growth[script * ROW + Math.min(length, MAX_DEPTH)] ?? 0);
  }

  #moved({ start, end }: Range): Range {
    const size = this.#list.size;
    return start === end ? NOWHERE : { start: size + start, end: size + end };
  }

  #measureGrowth(): VocabularyGrowth {
    const growth = new VocabularyGrowth(this.#known);
    for (const n of this.#dead) growth.note(this.#list.word(n), -1);
    for (let n = 0; n < this.#added.size; n++) growth.note(this.#added.word(n), 1);
    growth.finish();
    return growth;
  }
}

/** True if a word is in a span. */
export function isIn({ base, added }: Span, word: number): boolean {
  return (word >= base.start && word < base.end) || (word >= added.start && word < added.end);
}

export function isEmpty({ base, added }: Span): boolean {
  return base.start === base.end && added.start === added.end;
}

/** The words of a span. */
export function* numbersOf({ base, added }: Span): Generator<number> {
  for (let n = base.start; n < base.end; n++) yield n;
  for (let n = added.start; n < added.end; n++) yield n;
}

function beginningsIn(words: WordList | AddedWords, letters: string, from: number): Beginnings {
  const ends: number[] = [];
  let range: Range = { start: 0, end: words.size };
  for (let at = from; at < letters.length; at++) {
    range = words.narrowed(range, at - from, letters.charCodeAt(at));
    if (range.start === range.end) return { ends, isOpen: false };
    if (words.lengthOf(range.start) === at + 1 - from) ends.push(at + 1);
  }
  return { ends, isOpen: range.start < range.end };
}

/** The numbers of one script, by length. */
const ROW = MAX_DEPTH + 1;

/** By how much the counts of a dictionary are too small since words were added, or too large since words died. */
class VocabularyGrowth {
  readonly beginnings = new Int32Array(SCRIPTS.length * ROW);
  readonly wholes = new Int32Array(SCRIPTS.length * ROW);
  readonly #known: KnownWords;
  /** How many words more or fewer begin with the letters. */
  readonly #changes = new Map<string, number>();

  constructor(known: KnownWords) {
    this.#known = known;
  }

  /** Notes an added word or a dead one; call `finish` after the last. */
  note(word: string, change: 1 | -1): void {
    if (word.length <= MAX_DEPTH) add(this.wholes, word, change);
    for (let length = 1; length <= Math.min(word.length, MAX_DEPTH); length++) {
      const letters = word.slice(0, length);
      this.#changes.set(letters, (this.#changes.get(letters) ?? 0) + change);
    }
  }

  finish(): void {
    for (const [letters, change] of this.#changes) {
      const before = this.#known.countBeginning(letters);
      const grown = Number(before + change > 0) - Number(before > 0);
      if (grown !== 0) add(this.beginnings, letters, grown);
    }
  }
}

function add(counts: Int32Array, letters: string, change: number): void {
  const at = scriptOf(letters.charCodeAt(0)) * ROW + letters.length;
  counts[at] = (counts[at] ?? 0) + change;
}
