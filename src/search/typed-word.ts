/** Caches what is computed from a typed word, as each kind of records and each reading of a query needs it again. */

import { LRUCache } from "lru-cache";
import { heardConsonants } from "./consonants.ts";
import { isOrdinaryWord } from "./ordinary/ordinary-words.ts";
import { soundKey, soundKeys } from "./transliterate.ts";
import { stem } from "./word-forms.ts";

/** Half a megabyte for each. */
const MOST_WORDS = 5_000;

export const stemOfTyped = remembered(stem);
export const soundOfTyped = remembered(soundKey);
export const soundsOfTyped = remembered(soundKeys);
export const consonantsOfTyped = remembered(heardConsonants);
export const isOrdinaryTyped = remembered(isOrdinaryWord);

function remembered<Value extends string | boolean | readonly string[]>(
  read: (word: string) => Value,
): (word: string) => Value {
  const known = new LRUCache<string, Value>({ max: MOST_WORDS, memoMethod: (word) => read(word) });
  return (word) => known.memo(word);
}
