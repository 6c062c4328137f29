/**
 * Korean while it is typed: a syllable is two or more letters, and half of one looks like another syllable or a
 * single consonant. For example, 장박 and 장ㅂ are on the way to 장바구니. Words are compared by the letters of the standard
 * keyboard, so a half-typed text is always a prefix of the finished one.
 */

const LEADS = [..."ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"];
const VOWELS = "ㅏ ㅐ ㅑ ㅒ ㅓ ㅔ ㅕ ㅖ ㅗ ㅗㅏ ㅗㅐ ㅗㅣ ㅛ ㅜ ㅜㅓ ㅜㅔ ㅜㅣ ㅠ ㅡ ㅡㅣ ㅣ".split(" ");
const TAILS =
  " ㄱ ㄲ ㄱㅅ ㄴ ㄴㅈ ㄴㅎ ㄷ ㄹ ㄹㄱ ㄹㅁ ㄹㅂ ㄹㅅ ㄹㅌ ㄹㅍ ㄹㅎ ㅁ ㅂ ㅂㅅ ㅅ ㅆ ㅇ ㅈ ㅊ ㅋ ㅌ ㅍ ㅎ".split(
    " ",
  );

/** Syllables, and the letters that Unicode composes them of. */
export const HANGUL = /[\uac00-\ud7a3\u1100-\u1112\u1161-\u1175\u11a8-\u11c2]/g;

const C = "[ㄱ-ㅎ]";
const V = "[ㅏ-ㅣ]";
const DOUBLE_TAIL = TAILS.filter(({ length }) => length === 2).join("|");
const SYLLABLES = new RegExp(`^(?:${C}${V}+(?:(?:${DOUBLE_TAIL})(?=${C}${V}|$)|${C}(?!${V}))?)+$`);
const LEAD = new RegExp(`${C}(?=${V})`, "g");
const LETTERS = /^[ㄱ-ㅎ][ㄱ-ㅣ]+$/;
/** The rest of a syllable after its first letter, all of it. */
const REST = `(?:${V}+(?:${C}(?!${V}))*(?!${C}(?!${V})))?`;
/** The beginning of a syllable: not the consonant at the end of one. */
const BEGINNING = `(?:(?<![ㄱ-ㅣ])|(?=${C}${V}))`;

/** What a typed word is or begins with. */
export const CONSONANTS = /^[ㄱ-ㅎ]{2,}$/;
export const FIRST_CONSONANTS = /^[ㄱ-ㅎ]+/;
export const FIRST_SYLLABLE = /^[ㄱ-ㅎ][ㅏ-ㅣ]+/;

/** The letters of a syllable, or of a part of one, as they are typed. Takes what `HANGUL` matches. */
export function lettersOfHangul(hangul: string): string {
  const code = hangul.charCodeAt(0);
  const syllable = code - 0xac00;
  if (syllable >= 0) {
    const [lead, vowel] = [Math.floor(syllable / 588), Math.floor(syllable / 28) % 21];
    return `${LEADS[lead]}${VOWELS[vowel]}${TAILS[syllable % 28]}`;
  }
  if (code < 0x1161) return LEADS[code - 0x1100] ?? hangul;
  return (code < 0x11a8 ? VOWELS[code - 0x1161] : TAILS[code - 0x11a7]) ?? hangul;
}

/** The first letters of a word's syllables: ㅈㅂㄱㄴ of 장바구니. Takes a folded word; blank for other scripts. */
export function initialsOf(word: string): string {
  return word.match(LEAD)?.join("") ?? "";
}

/**
 * Finds what a typed word abbreviates by first letters of syllables, as ㅈㅂㄱㄴ and 장ㅂㄱ do 장바구니. Undefined for a
 * word of whole syllables. Takes a folded word, and is meant for folded text.
 */
export function abbreviatedBy(word: string): RegExp | undefined {
  if (!LETTERS.test(word) || SYLLABLES.test(word)) return undefined;
  const pattern = word.replace(
    /[ㄱ-ㅎ](?![ㅏ-ㅣ])/g,
    (consonant, at: number) => `${at === 0 ? BEGINNING : ""}${consonant}${REST}`,
  );
  return new RegExp(pattern);
}
