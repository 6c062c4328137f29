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

  has(number: number): boolean {
    return ((this.#bits[number >>> 5] ?? 0) & (1 << (number & 31))) !== 0;
  }

  clear(): void {
    this.#bits.fill(0);
  }

  /** The numbers that are in all sets, which have the same limit. */
  static inAll(sets: readonly NumberSet[]): SortedNumbers {
    const [first = new Int32Array(0), second = first, ...others] = sets.map((set) => set.#bits);
    return { some: (visit) => someBit(first, second, others, visit) };
  }
}

function someBit(
  first: Int32Array,
  second: Int32Array,
  others: readonly Int32Array[],
  visit: (number: number) => boolean,
): void {
  for (let at = 0; at < first.length; at++) {
    let rest = (first[at] ?? 0) & (second[at] ?? 0);
    if (rest === 0) continue;
    for (const other of others) rest &= other[at] ?? 0;
    for (; rest !== 0; rest &= rest - 1) {
      if (visit(at * 32 + 31 - Math.clz32(rest & -rest))) return;
    }
  }
}
