/** Numbers per block: one cache line of the processor. */
const BLOCK = 64;

/** Record numbers, with quick access to the smallest in any range. */
export interface RankedList {
  readonly records: Uint32Array<ArrayBuffer>;
  /** The smallest number of each block of 64. */
  readonly minima: Uint32Array<ArrayBuffer>;
}

/** From `start` up to, not including, `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export const EMPTY: Range = { start: 0, end: 0 };

export function rankedList(records: Uint32Array<ArrayBuffer>): RankedList {
  const minima = new Uint32Array(Math.ceil(records.length / BLOCK)).fill(0xffffffff);
  for (let at = 0; at < records.length; at++) {
    const block = Math.floor(at / BLOCK);
    minima[block] = Math.min(minima[block] ?? 0, records[at] ?? 0);
  }
  return { records, minima };
}

/**
 * The `count` smallest different numbers of a range that `accept` lets pass, ascending. Skips each block whose minimum
 * is no better than the worst number found, so a range of a million costs little.
 */
export function smallestOf(
  { records, minima }: RankedList,
  { start, end }: Range,
  count: number,
  accept: (record: number) => boolean,
): number[] {
  const found: number[] = [];
  let worst = Number.POSITIVE_INFINITY;
  for (let at = start; at < end; ) {
    const block = Math.floor(at / BLOCK);
    const blockEnd = Math.min(end, (block + 1) * BLOCK);
    if ((minima[block] ?? 0) < worst) {
      for (; at < blockEnd; at++) {
        const record = records[at] ?? 0;
        if (record >= worst || !accept(record)) continue;
        insertSorted(found, record);
        if (found.length > count) found.pop();
        if (found.length === count) worst = found[count - 1] ?? 0;
      }
    }
    at = blockEnd;
  }
  return found;
}

/** A growing list of unsigned 32-bit numbers, four bytes each. */
export class Uint32List {
  length = 0;
  #values = new Uint32Array(1024);

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Uint32Array(this.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length++] = value;
  }

  /** A copy of the numbers. */
  toArray(): Uint32Array<ArrayBuffer> {
    return this.#values.slice(0, this.length);
  }
}

function insertSorted(sorted: number[], value: number): void {
  let low = 0;
  for (let high = sorted.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  if (sorted[low] !== value) sorted.splice(low, 0, value);
}

/** The bits of a bucket's number, for so many things to be spread over buckets: about as many as there are things. */
export function bitsOfBuckets(things: number): number {
  return Math.min(Math.max(Math.ceil(Math.log2(things + 1)), 4), 16);
}

/** Numbers by group: those of group n are between `starts[n]` and `starts[n + 1]`. */
export interface Groups {
  readonly starts: Uint32Array<ArrayBuffer>;
  readonly members: Uint32Array<ArrayBuffer>;
}

/** Groups members, keeping their order. */
export function group(groupOf: ArrayLike<number>, members: ArrayLike<number>, groups: number): Groups {
  const starts = new Uint32Array(groups + 1);
  for (let at = 0; at < groupOf.length; at++) {
    const next = (groupOf[at] ?? 0) + 1;
    starts[next] = (starts[next] ?? 0) + 1;
  }
  for (let n = 0; n < groups; n++) starts[n + 1] = (starts[n + 1] ?? 0) + (starts[n] ?? 0);
  const next = starts.slice();
  const sorted = new Uint32Array(members.length);
  for (let at = 0; at < members.length; at++) {
    const groupNumber = groupOf[at] ?? 0;
    const place = next[groupNumber] ?? 0;
    sorted[place] = members[at] ?? 0;
    next[groupNumber] = place + 1;
  }
  return { starts, members: sorted };
}
