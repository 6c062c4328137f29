/** A list of unsigned 32-bit numbers that grows: four bytes a number, however many they are. */
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

  /** A copy of just the numbers that are there. */
  toArray(): Uint32Array<ArrayBuffer> {
    return this.#values.slice(0, this.length);
  }
}
