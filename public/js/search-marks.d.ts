/** A stretch of a name: letters that were typed, or others. */
export interface Part {
  text: string;
  marked: boolean;
}

/** A text as names are compared; `normaliseName` without its look-alike letters and kana. */
export function fold(text: string): string;

/**
 * A name in parts, those marked that are what was typed: the beginning of the name or of a later word, else each word
 * by itself, at the beginning of a word or inside one. No part is marked where a typed word is not in the name at all.
 * The parts together are the name; it is one part where nothing is marked.
 */
export function markedParts(text: string, query: string): Part[];

/**
 * The same for a name that was found in spite of an error: words typed as one or one as several, and words with one
 * error in three letters at most, those letters marked that are where they were typed. `whole`: only where all of what
 * was typed is in the name. `bySound`: compares what both sound like, for a name in another alphabet.
 */
export function nearParts(
  text: string,
  query: string,
  options?: { whole?: boolean; bySound?: boolean },
): Part[];
