import { heardConsonants, vowelsApart } from "../consonants.ts";
import type { Catalogue } from "./catalogue.ts";

/** A word needs so many consonants, more of them where it is the only one, or where a vowel may be another. */
const LEAST_CONSONANTS = { together: 2, alone: 3, forOtherVowels: 4 } as const;
const MOST_OTHER_VOWELS = { together: 2, alone: 1 } as const;

/**
 * The English words that somebody who heard them may have written in Cyrillic letters like a typed one, each with the
 * number of places where the vowels differ. `alone`: no other word is typed.
 */
export function wordsByEar(catalogue: Catalogue, typed: string, alone: boolean): Map<number, number> {
  const heard = new Map<number, number>();
  const which = alone ? "alone" : "together";
  for (const key of heardConsonants(typed)) {
    if (key.length < LEAST_CONSONANTS[which]) continue;
    const most = key.length < LEAST_CONSONANTS.forOtherVowels ? 0 : MOST_OTHER_VOWELS[which];
    for (const word of catalogue.wordsWithConsonants(key)) {
      const apart = vowelsApart(typed, catalogue.words.word(word));
      if (apart <= most) heard.set(word, apart);
    }
  }
  return heard;
}
