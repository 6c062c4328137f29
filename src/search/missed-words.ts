/** In characters; what is longer was pasted, not looked for. */
const LONGEST = 60;
/** Addresses, and numbers that may be somebody's: what players look for has words. */
const PRIVATE = /@|:\/\/|www\.|\d{5,}|\d{1,3}(?:\.\d{1,3}){3}/;

/**
 * The key that counts a search without a hit, for operators: its words in lower case. Undefined for a query that
 * means nothing, or may reveal its author.
 */
export function missedWords(q: string): string | undefined {
  const words = q
    .normalize("NFKC")
    .toWellFormed()
    .toLowerCase()
    .replace(/[\p{Cc}\p{Cf}]/gu, "")
    .replace(/\s+/gu, " ")
    .trim();
  const isTold = /\p{L}{2}/u.test(words) && [...words].length <= LONGEST && !PRIVATE.test(words);
  return isTold ? words : undefined;
}
