/** Caches what is computed from a typed word, as each kind of records and each reading of a query needs it again. */

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
  const known = new Map<string, Value>();
  return (word) => {
    const before = known.get(word);
    if (before !== undefined) return before;
    if (known.size >= MOST_WORDS) known.clear();
    const value = read(word);
    known.set(word, value);
    return value;
  };
}
