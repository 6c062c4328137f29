import type { Base } from "./base.ts";
import type { ChangedRecords } from "./changed-records.ts";
import type { SortedNumbers } from "./number-set.ts";
import type { Overlay } from "./overlay.ts";
import type { Range, RankedList } from "./ranges.ts";
import type { Span } from "./vocabulary.ts";

/** The records of words, as they are after changes. */
export class Postings {
  readonly #base: Base;
  readonly #changes: ChangedRecords;
  readonly #overlay: Overlay;

  constructor(base: Base, changes: ChangedRecords, overlay: Overlay) {
    this.#base = base;
    this.#changes = changes;
    this.#overlay = overlay;
  }

  /** The records of the base alone; some may be gone. */
  get ofBase(): RankedList {
    return this.#base.postings;
  }

  /** The range of `ofBase` that belongs to a range of words of the base. */
  rangeOf({ start, end }: Range): Range {
    const { starts } = this.#base.postings;
    return start === end ? { start, end: start } : { start: starts[start] ?? 0, end: starts[end] ?? 0 };
  }

  /** How many records have a word. */
  countOf(word: number): number {
    const { starts } = this.#base.postings;
    const ofBase = word < this.#base.words.list.size ? (starts[word + 1] ?? 0) - (starts[word] ?? 0) : 0;
    const changed = this.#overlay.recordsOf(word)?.length ?? 0;
    return ofBase - (this.#changes.goneFrom.get(word) ?? 0) + changed;
  }

  /** The same for a span of words, without regard to records that are gone. */
  countAbout({ base, added }: Span): number {
    const { start, end } = this.rangeOf(base);
    let records = end - start;
    for (let word = added.start; word < added.end; word++) records += this.countOf(word);
    return records;
  }

  /** Calls `visit` with the records of a word, at most `most`, best first, until it returns true; returns whether it did. */
  someOf(word: number, visit: (record: number) => boolean, most = Number.POSITIVE_INFINITY): boolean {
    if (this.#isChanged(word)) return this.#someOfChanged(word, visit, most);
    const { starts, records } = this.#base.postings;
    const start = starts[word] ?? 0;
    const end = Math.min(starts[word + 1] ?? 0, start + most);
    for (let at = start; at < end; at++) if (visit(records[at] ?? 0)) return true;
    return false;
  }

  /** Records of the base without those that are gone, and changed ones in their places. */
  merged(ofBase: SortedNumbers, changed: readonly number[]): SortedNumbers {
    return { some: (visit) => this.#someMerged(ofBase, changed, visit) };
  }

  #isChanged(word: number): boolean {
    return this.#changes.goneFrom.has(word) || this.#overlay.recordsOf(word) !== undefined;
  }

  #someOfChanged(word: number, visit: (record: number) => boolean, most: number): boolean {
    const { starts, records } = this.#base.postings;
    const isAdded = word >= this.#base.words.list.size;
    const ofBase = isAdded ? [] : records.subarray(starts[word] ?? 0, starts[word + 1] ?? 0);
    let left = most;
    let isDone = false;
    this.#someMerged(ofBase, this.#overlay.recordsOf(word) ?? [], (record) => {
      isDone = visit(record);
      return isDone || --left === 0;
    });
    return isDone;
  }

  #someMerged(
    ofBase: SortedNumbers,
    changed: readonly number[],
    visit: (record: number) => boolean,
  ): boolean {
    const { gone } = this.#changes;
    let next = 0;
    let isDone = false;
    const visitBefore = (rank: number) => {
      for (; !isDone && next < changed.length; next++) {
        const record = changed[next] ?? 0;
        if (this.#overlay.rankOf(record) > rank) return;
        isDone = visit(record);
      }
    };
    ofBase.some((record) => {
      visitBefore(record);
      if (!isDone && !gone.has(record)) isDone = visit(record);
      return isDone;
    });
    visitBefore(Number.POSITIVE_INFINITY);
    return isDone;
  }
}
