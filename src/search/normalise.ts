import { plainLetters } from "./letters.ts";
import { inOneAlphabet } from "./look-alikes.ts";

/**
 * How names and queries are compared: NFKC, lower case, without accents, ligatures taken apart, ё as е, letters that
 * only look like those of the word's alphabet as the ones they look like, and every run of punctuation or white space
 * as one space. Idempotent. Text of nothing but punctuation becomes "".
 *
 * Only the accents of Latin, Greek and Cyrillic go: the marks of other scripts are letters of their own, as is й.
 */
export function normaliseName(text: string): string {
  return normaliseSimple(text) ?? normaliseAny(text);
}

/** Names of a million records come here; nearly all are of letters that are normalised one by one. */
export function normaliseSimple(text: string): string | undefined {
  if (!SIMPLE.test(text)) return undefined;
  const plain = text
    .toLowerCase()
    .replace(/ё/g, "е")
    .replace(/[^a-z0-9а-я]+/g, " ")
    .trim();
  return MIXED.test(plain) ? inOneAlphabet(plain) : plain;
}

const SIMPLE = /^[ -~А-Яа-яЁё]*$/;
const MIXED = /[a-z]\d*[а-я]|[а-я]\d*[a-z]/;

export function normaliseAny(text: string): string {
  const plain = text
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replace(UNSEEN, "")
    .replace(ACCENTS, "")
    .normalize("NFC");
  return inOneAlphabet(plainLetters(plain).replace(BETWEEN_WORDS, " ").trim());
}

const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;
const ACCENTS = /(?<!и)\u0306|[\u0300-\u0305\u0307-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/g;
const BETWEEN_WORDS = /(?:[^\p{L}\p{N}\p{M}\p{So}]|[\u02b9-\u02bf\u02c8])+/gu;
