import { readFileSync } from "node:fs";
import { stem } from "../stem.ts";
import { BloomFilter } from "./bloom-filter.ts";

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
