/** A set of numbers below a limit, one bit each: a million of them are 125 KB, which fit the processor's cache. */
export class NumberSet {
  readonly #bits: Uint32Array;

  constructor(limit: number) {
    this.#bits = new Uint32Array(Math.ceil(limit / 32));
  }

  add(number: number): void {
    this.#bits[number >>> 5] = (this.#bits[number >>> 5] ?? 0) | (1 << (number & 31));
  }

  has(number: number): boolean {
    return ((this.#bits[number >>> 5] ?? 0) & (1 << (number & 31))) !== 0;
  }

  /** The numbers that are in all of some sets of one limit, ascending. */
  static *inAll(sets: readonly NumberSet[]): Generator<number> {
    const [first, ...others] = sets;
    if (first === undefined) return;
    for (let at = 0; at < first.#bits.length; at++) {
      let bits = first.#bits[at] ?? 0;
      for (const other of others) bits &= other.#bits[at] ?? 0;
      for (; bits !== 0; bits &= bits - 1) yield at * 32 + 31 - Math.clz32(bits & -bits);
    }
  }
}
