import { vowelsApart } from "../consonants.ts";
import { consonantsOfTyped } from "../typed-word.ts";
import type { Catalogue } from "./catalogue.ts";

/** The words that a word is typed with: others of the name, none, or one that is not of the name. */
type Company = "names" | "none" | "stranger";

/** The less other evidence there is for a name, the nearer it has to be. */
const LEAST_CONSONANTS = { names: 2, none: 3, stranger: 4 } as const;
const MOST_OTHER_VOWELS = { names: 2, none: 1, stranger: 0 } as const;
/** Words of fewer consonants need all vowels right. */
const LEAST_FOR_OTHER_VOWELS = 4;

/**
 * The English words that somebody who heard them may have written in Cyrillic letters like a typed one, each with the
 * number of places where the vowels differ.
 */
export function wordsByEar(catalogue: Catalogue, typed: string, company: Company): Map<number, number> {
  const heard = new Map<number, number>();
  for (const key of consonantsOfTyped(typed)) {
    if (key.length < LEAST_CONSONANTS[company]) continue;
    const most = key.length < LEAST_FOR_OTHER_VOWELS ? 0 : MOST_OTHER_VOWELS[company];
    for (const word of catalogue.wordsWithConsonants(key)) {
      const apart = vowelsApart(typed, catalogue.words.word(word));
      if (apart <= most) heard.set(word, apart);
    }
  }
  return heard;
}
