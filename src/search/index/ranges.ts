/** Numbers a block: one line of the processor's cache. */
const BLOCK = 64;

/** A list of record numbers of which any stretch can be asked for its smallest without reading all of it. */
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
 * The `count` smallest different numbers of a stretch that `accept` lets pass, ascending. A block whose smallest is no
 * better than what has been found is skipped, so a stretch of a million costs what its few good blocks do.
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

function insertSorted(sorted: number[], value: number): void {
  let low = 0;
  for (let high = sorted.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  if (sorted[low] !== value) sorted.splice(low, 0, value);
}
