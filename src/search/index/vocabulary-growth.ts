import { MAX_DEPTH } from "./deletions.ts";
import { SCRIPTS, scriptOf } from "./evidence.ts";
import type { KnownWords } from "./known-words.ts";

/** The numbers of one script, by length. */
export const ROW = MAX_DEPTH + 1;

/** By how much the counts of a dictionary are too small since words were added, or too large since words died. */
export class VocabularyGrowth {
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
