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
 *
 * `partly`, for what was found by forgiving an error: marks what is certain, which are words typed as one or one as
 * several, else whole words. The parts together are the name; it is one part where nothing is marked.
 */
export function markedParts(text: string, query: string, options?: { partly?: boolean }): Part[];
