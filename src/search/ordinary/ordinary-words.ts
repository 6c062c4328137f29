import { readFileSync } from "node:fs";
import { stem } from "../word-forms.ts";

/** Bits set for each text, and bits to spend on each: one of about 500 other texts passes for a member. */
const HASHES = 8;
const BITS_A_TEXT = 13;

/**
 * A set of texts at 13 bits each. It says yes to all of them, and by mistake to few others.
 * https://en.wikipedia.org/wiki/Bloom_filter, with two hashes as many (Kirsch and Mitzenmacher 2006)
 */
export class BloomFilter {
  readonly #bits: Uint8Array;

  constructor(bits: Uint8Array) {
    this.#bits = bits;
  }

  static of(texts: ReadonlySet<string>): Uint8Array {
    const bits = new Uint8Array(Math.ceil((BITS_A_TEXT * texts.size) / 8));
    for (const text of texts) {
      for (const place of placesOf(text, 8 * bits.length)) {
        bits[place >>> 3] = (bits[place >>> 3] ?? 0) | (1 << (place & 7));
      }
    }
    return bits;
  }

  has(text: string): boolean {
    for (const place of placesOf(text, 8 * this.#bits.length)) {
      if (((this.#bits[place >>> 3] ?? 0) & (1 << (place & 7))) === 0) return false;
    }
    return true;
  }
}

function* placesOf(text: string, size: number): Generator<number> {
  const [first, second] = [hash(text, 0x811c9dc5), hash(text, 0x9e3779b9) | 1];
  for (let n = 0; n < HASHES; n++) yield ((first + Math.imul(n, second)) >>> 0) % size;
}

/** FNV-1a, mixed at the end as its low bits hardly differ (the finaliser of MurmurHash3). */
function hash(text: string, seed: number): number {
  let state = seed;
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}

/** See `makeWords`. */
export const FILE = new URL("words.bloom", import.meta.url);

/** The lists have no shorter words. */
const LEAST_LETTERS = 4;

const words = new BloomFilter(readFileSync(FILE));

/**
 * Whether a normalised word is spelt right in English or Russian. Then a name that differs from it in a letter was hardly
 * meant. One of 500 others passes for such a word.
 */
export function isOrdinaryWord(word: string): boolean {
  return word.length >= LEAST_LETTERS && words.has(stem(word));
}
