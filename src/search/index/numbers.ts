/** Numbers per block: one cache line of the processor. */
const BLOCK = 64;

/** Numbers of names, with quick access to the smallest in any range. */
export interface RankedList {
  readonly names: Uint32Array<ArrayBuffer>;
  /** The smallest number of each block of 64. */
  readonly minima: Uint32Array<ArrayBuffer>;
}

/** A range of a ranked list. */
export interface RankedRange {
  readonly list: RankedList;
  readonly range: Range;
}

/** From `start` up to, not including, `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export const EMPTY: Range = { start: 0, end: 0 };

export function rankedList(names: Uint32Array<ArrayBuffer>): RankedList {
  const minima = new Uint32Array(Math.ceil(names.length / BLOCK)).fill(0xffffffff);
  for (let at = 0; at < names.length; at++) {
    const block = Math.floor(at / BLOCK);
    minima[block] = Math.min(minima[block] ?? 0, names[at] ?? 0);
  }
  return { names, minima };
}

/**
 * The smallest numbers of a range that `accept` lets pass, ascending, at most `count` and one for each record. Skips
 * each block whose minimum is no better than the worst number found, so a range of a million costs little.
 */
export function smallestOf(
  { names, minima }: RankedList,
  { start, end }: Range,
  { count, accept, recordOf }: SmallestOptions,
): number[] {
  const found: number[] = [];
  const nameOf = new Map<number, number>();
  let worst = Number.POSITIVE_INFINITY;
  for (let at = start; at < end; ) {
    const block = Math.floor(at / BLOCK);
    const blockEnd = Math.min(end, (block + 1) * BLOCK);
    if ((minima[block] ?? 0) < worst) {
      for (; at < blockEnd; at++) {
        const name = names[at] ?? 0;
        if (name >= worst || !accept(name)) continue;
        const record = recordOf(name);
        const other = nameOf.get(record);
        if (other !== undefined && other <= name) continue;
        if (other !== undefined) found.splice(placeIn(found, other), 1);
        found.splice(placeIn(found, name), 0, name);
        nameOf.set(record, name);
        if (found.length > count) nameOf.delete(recordOf(found.pop() ?? 0));
        if (found.length === count) worst = found[count - 1] ?? 0;
      }
    }
    at = blockEnd;
  }
  return found;
}

interface SmallestOptions {
  readonly count: number;
  accept(name: number): boolean;
  recordOf(name: number): number;
}

/** Where a number is in ascending ones, or would be. */
function placeIn(sorted: readonly number[], value: number): number {
  let low = 0;
  for (let high = sorted.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
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

/** Groups members by the hashes of their keys. Keys share a group by chance, so whoever reads one compares the keys. */
export function groupByHash(hashes: Uint32Array, members: Uint32Array, groups: number): Groups {
  const groupOf = new Uint32Array(hashes.length);
  for (let at = 0; at < hashes.length; at++) groupOf[at] = (hashes[at] ?? 0) % groups;
  return group(groupOf, members, groups);
}

/** The members whose keys may have this hash. */
export function withHash({ starts, members }: Groups, hash: number): Uint32Array {
  const n = hash % (starts.length - 1);
  return members.subarray(starts[n], starts[n + 1]);
}

/** Ascending numbers, made while they are read. */
export interface SortedNumbers {
  /** Calls `visit` with each number until it returns true. */
  some(visit: (number: number) => boolean): void;
}

/** A set of numbers below a limit, one bit each: a million take 125 KB, which fits the processor's cache. */
export class NumberSet {
  /** Signed, because the engine computes with signed numbers directly. */
  readonly #bits: Int32Array;

  constructor(limit: number) {
    this.#bits = new Int32Array(Math.ceil(limit / 32));
  }

  add(number: number): void {
    this.#bits[number >>> 5] = (this.#bits[number >>> 5] ?? 0) | (1 << (number & 31));
  }

  addAll(numbers: Uint32Array): void {
    for (let at = 0; at < numbers.length; at++) this.add(numbers[at] ?? 0);
  }

  has(number: number): boolean {
    return ((this.#bits[number >>> 5] ?? 0) & (1 << (number & 31))) !== 0;
  }

  /** The numbers that are in all sets, which have the same limit. */
  static inAll(sets: readonly NumberSet[]): SortedNumbers {
    const [first = new Int32Array(0), ...others] = sets.map((set) => set.#bits);
    return {
      some(visit) {
        for (let at = 0; at < first.length; at++) {
          let rest = first[at] ?? 0;
          for (let n = 0; n < others.length && rest !== 0; n++) rest &= others[n]?.[at] ?? 0;
          for (; rest !== 0; rest &= rest - 1) if (visit(at * 32 + 31 - Math.clz32(rest & -rest))) return;
        }
      },
    };
  }
}
