import { bandOf, COST, fillRow, isTooMuch } from "./edit-distance.ts";
import type { Count } from "./evidence.ts";
import type { Range } from "./ranges.ts";
import { SCRIPTS, scriptOf } from "./scripts.ts";
import type { WordList } from "./word-list.ts";

/** Deeper letters tell no two typed words apart. */
const MAX_DEPTH = 32;

/**
 * What words have in common at their beginnings: a node for each different beginning, in the order of a walk that goes
 * down before it goes on.
 */
export interface TrieData {
  /** The last letter of each node's beginning. */
  readonly letters: Uint16Array<ArrayBuffer>;
  /** How many letters it has. */
  readonly depths: Uint8Array<ArrayBuffer>;
  /** The first node that does not begin so. */
  readonly next: Uint32Array<ArrayBuffer>;
  /** The first word that begins so. */
  readonly firstWords: Uint32Array<ArrayBuffer>;
  /** How many different beginnings of each length there are, by script; and how many of them are words. */
  readonly beginnings: Uint32Array<ArrayBuffer>;
  readonly wholes: Uint32Array<ArrayBuffer>;
}

const ROW = MAX_DEPTH + 2;

/** Words that begin with (or, where `whole`, are) what was typed after correcting it. */
export interface Correction {
  readonly words: Range;
  readonly cost: number;
  readonly whole: boolean;
}

export function trieData(words: WordList): TrieData {
  const size = countNodes(words);
  const letters = new Uint16Array(size);
  const depths = new Uint8Array(size);
  const next = new Uint32Array(size);
  const firstWords = new Uint32Array(size);
  const beginnings = new Uint32Array(SCRIPTS.length * ROW);
  const wholes = new Uint32Array(SCRIPTS.length * ROW);
  const open: number[] = [];
  let node = 0;
  for (let word = 0; word < words.size; word++) {
    const shared = word === 0 ? 0 : sharedLetters(words, word - 1, word);
    const row = scriptOf(words.letter(word, 0)) * ROW;
    while (open.length > shared) next[open.pop() ?? 0] = node;
    for (let depth = shared + 1; depth <= Math.min(words.lengthOf(word), MAX_DEPTH); depth++) {
      letters[node] = words.letter(word, depth - 1);
      depths[node] = depth;
      firstWords[node] = word;
      add(beginnings, row + depth);
      open.push(node++);
    }
    if (words.lengthOf(word) <= MAX_DEPTH) add(wholes, row + words.lengthOf(word));
  }
  for (const left of open) next[left] = node;
  return { letters, depths, next, firstWords, beginnings, wholes };
}

function add(counts: Uint32Array, at: number): void {
  counts[at] = (counts[at] ?? 0) + 1;
}

function countNodes(words: WordList): number {
  let nodes = 0;
  for (let word = 0; word < words.size; word++) {
    const shared = word === 0 ? 0 : sharedLetters(words, word - 1, word);
    nodes += Math.max(0, Math.min(words.lengthOf(word), MAX_DEPTH) - shared);
  }
  return nodes;
}

function sharedLetters(words: WordList, a: number, b: number): number {
  const most = Math.min(words.lengthOf(a), words.lengthOf(b), MAX_DEPTH);
  let shared = 0;
  while (shared < most && words.letter(a, shared) === words.letter(b, shared)) shared++;
  return shared;
}

/** Finds words in spite of typing errors. */
export class Trie {
  readonly #data: TrieData;
  readonly #words: WordList;

  constructor(data: TrieData, words: WordList) {
    this.#data = data;
    this.#words = words;
  }

  /**
   * The words that begin with `typed`, or are it, when at most `budget` is spent on correcting it: the table of the
   * edit distance is filled row by row on the way down, and a branch that has cost too much is left.
   */
  corrections(typed: string, budget: number): Correction[] {
    const width = typed.length + 1;
    const band = bandOf(budget);
    const rows = new Uint16Array((MAX_DEPTH + 1) * width);
    for (let j = 1; j < width; j++) rows[j] = j * COST.extra;
    const path = new Uint16Array(MAX_DEPTH + 1);
    const cheapest = new Uint16Array(MAX_DEPTH + 1).fill(0xffff);
    const leasts = new Uint16Array(MAX_DEPTH + 1);
    const found: Correction[] = [];
    const { letters, depths, next } = this.#data;
    for (let node = 0; node < letters.length; ) {
      const depth = depths[node] ?? 0;
      path[depth] = letters[node] ?? 0;
      const least = fillRow(rows, width, depth, typed, path, band);
      leasts[depth] = least;
      if (isTooMuch(least, leasts[depth - 1] ?? 0, budget)) {
        node = next[node] ?? letters.length;
        continue;
      }
      const cost = rows[depth * width + width - 1] ?? 0;
      const before = cheapest[depth - 1] ?? 0;
      cheapest[depth] = Math.min(before, cost);
      if (cost <= budget) this.#collect(node, cost, cost < before, found);
      node++;
    }
    return found;
  }

  /** How many different beginnings of each length the words of a script have, or how many words it has. */
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
