/**
 * Which letters count as equal: for the search, for the marks in its results, and for every field that filters what a
 * page or a command lists.
 */

/** Soft hyphens, joiners, variation selectors and their kin. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;

/** The accents of Latin, Greek and Cyrillic. */
const ACCENTS =
  /[\u0300-\u036f]|[\u0483-\u0489]|[\u1ab0-\u1aff]|[\u1dc0-\u1dff]|[\u20d0-\u20ff]|[\ufe20-\ufe2f]/g;

/** Letters that Unicode does not decompose, as typed on keyboards without them. */
const PLAIN: Readonly<Record<string, string>> = {
  æ: "ae",
  đ: "d",
  ð: "d",
  ħ: "h",
  ı: "i",
  ĸ: "k",
  ł: "l",
  ŋ: "n",
  ø: "o",
  œ: "oe",
  ß: "ss",
  ŧ: "t",
  þ: "th",
  ς: "σ",
};

/** The vowels and other marks of Hebrew and Arabic, which most texts leave out. */
const VOWEL_MARKS =
  /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0897-\u089f\u08ca-\u08e1\u08e3-\u08ff]/g;

/** Letters of Hebrew and Arabic, as they are often typed. */
const AS_TYPED: Readonly<Record<string, string>> = {
  // At the end of Hebrew words, where a name that is typed so far may go on.
  ך: "כ",
  ם: "מ",
  ן: "נ",
  ף: "פ",
  ץ: "צ",
  װ: "וו",
  ױ: "וי",
  ײ: "יי",
  // Arabic letters as the keyboards of Persian, Urdu and Kurdish have them, and those that are often written for others.
  آ: "ا",
  أ: "ا",
  إ: "ا",
  ٱ: "ا",
  ٲ: "ا",
  ٳ: "ا",
  ؤ: "و",
  ئ: "ي",
  ى: "ي",
  ی: "ي",
  ے: "ي",
  ۓ: "ي",
  ې: "ي",
  ک: "ك",
  ڪ: "ك",
  ة: "ه",
  ۃ: "ه",
  ہ: "ه",
  ۂ: "ه",
  ۀ: "ه",
  ھ: "ه",
  ە: "ه",
  // The line that widens Arabic words, and the hamza that stands before a letter.
  ـ: "",
  ٴ: "",
};

/** Letters with a katakana twin: most names are written in katakana, but input methods begin with hiragana. */
const HIRAGANA = /[\u3041-\u3096\u309d\u309e]/g;
const TO_KATAKANA = 0x60;
const NOT_SHORT_I = /[^й]+/g;
const TYPED_OTHERWISE = new RegExp(`[${Object.keys(AS_TYPED).join("")}]`, "g");
/** What Latin, Greek and Cyrillic text has none of. */
const OTHER_SCRIPTS = /[\u0590-\uffff]/;
const OTHER_DIGITS = /[^\P{Nd}0-9]/gu;
const DIGIT = /\p{Nd}/u;
const UNACCENTED = new RegExp(`[${Object.keys(PLAIN).join("")}]`, "g");

/** Apostrophes that Unicode calls letters separate words too. */
export const BETWEEN_WORDS = /(?:[^\p{L}\p{N}\p{M}\p{So}]|[\u02b9-\u02bf\u02c8])+/gu;

/**
 * Folds letters that count as equal: NFKC, lower case, no accents, ё as е, ligatures and crossed letters as plain
 * ones. Hiragana become katakana, Korean syllables their letters, all digits 0 to 9. Keeps everything between
 * letters.
 *
 * It removes accents in Latin, Greek and Cyrillic, and vowel marks in Hebrew and Arabic. Marks of other scripts are
 * letters of their own, and so is й.
 */
export function foldLetters(text: string): string {
  const folded = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(UNSEEN, "")
    .replace(HIRAGANA, (letter) => String.fromCharCode(letter.charCodeAt(0) + TO_KATAKANA))
    .normalize("NFC")
    .replace(NOT_SHORT_I, (letters) => letters.normalize("NFD").replace(ACCENTS, ""))
    .normalize("NFC")
    .replace(UNACCENTED, (letter) => PLAIN[letter] ?? letter);
  return OTHER_SCRIPTS.test(folded) ? foldOtherScripts(folded) : folded;
}

function foldOtherScripts(text: string): string {
  const letters = text
    .replace(VOWEL_MARKS, "")
    .replace(TYPED_OTHERWISE, (letter) => AS_TYPED[letter] ?? letter)
    .replace(HANGUL, lettersOfHangul);
  return withPlainDigits(letters);
}

/** A text with the digits of all scripts as 0 to 9. */
export function withPlainDigits(text: string): string {
  return OTHER_SCRIPTS.test(text) ? text.replace(OTHER_DIGITS, plainDigit) : text;
}

/** Unicode has the digits of a script from 0 to 9 in a row, and some of these rows one after the other. */
function plainDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let before = 0;
  while (DIGIT.test(String.fromCodePoint(code - before - 1))) before++;
  return String(before % 10);
}

/** Folds a text as `normaliseName` does, but for Chinese characters, whose table is too large for browsers. */
function foldWords(text: string): string {
  return inOneAlphabet(foldLetters(text).replace(BETWEEN_WORDS, " ").trim());
}

/**
 * Whether a text has each of the typed words, by the letters that the search takes for equal. Typed signs without a
 * letter are looked for as they are.
 */
export function hasWords(text: string, typed: string, fold: (text: string) => string = foldWords): boolean {
  const words = fold(typed);
  if (words === "") return text.includes(typed.trim());
  const folded = fold(text);
  return words.split(" ").every((word) => abbreviatedBy(word)?.test(folded) ?? folded.includes(word));
}

interface Alphabet {
  readonly letter: RegExp;
  /** Its letters that look like Latin ones, and those letters. */
  readonly toLatin: ReadonlyMap<string, string>;
  readonly fromLatin: ReadonlyMap<string, string>;
}

/** Likelier ones first. */
const ALPHABETS: readonly Alphabet[] = [
  alphabet(/\p{Script=Cyrillic}/u, "авсенһіјкмоԛрѕтԝху", "abcehhijkmoqpstwxy"),
  alphabet(/\p{Script=Latin}/u, "abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz"),
  alphabet(/\p{Script=Greek}/u, "αβεζηικμνορτυχ", "abezhikmnoptyx"),
];

const LATIN_TWINS = new Map(ALPHABETS.flatMap(({ toLatin }) => [...toLatin]));

/** A text with Latin letters for those that look like them. */
export function withLatinTwins(text: string): string {
  return text.replace(/./gs, (letter) => LATIN_TWINS.get(letter) ?? letter);
}

const CYRILLIC = /[\u0400-\u052f]/;
const LATIN_OR_GREEK = /[a-z\u0180-\u02af\u0370-\u03ff]/;
const GREEK = /[\u0370-\u03ff]/;
const LATIN = /[a-z\u0180-\u02af]/;

/**
 * Replaces stray letters in words of mixed alphabets by look-alikes: the Latin e in a Russian word becomes е. The
 * word takes the alphabet of most of its letters, or Cyrillic in a tie; a word without a single alphabet is not
 * changed. Takes normalised text.
 */
export function inOneAlphabet(text: string): string {
  if (!isMixed(text)) return text;
  return text
    .split(" ")
    .map((word) => (isMixed(word) ? wordInOneAlphabet(word) : word))
    .join(" ");
}

function isMixed(text: string): boolean {
  if (CYRILLIC.test(text)) return LATIN_OR_GREEK.test(text);
  return GREEK.test(text) && LATIN.test(text);
}

function wordInOneAlphabet(word: string): string {
  const letters = [...word];
  const spellings = ALPHABETS.flatMap((alphabet) => {
    const own = letters.filter((letter) => alphabet.letter.test(letter)).length;
    const written = letters.map((letter) => writtenIn(alphabet, letter));
    return written.includes(undefined) ? [] : [{ own, word: written.join("") }];
  });
  const [best] = spellings.sort((a, b) => b.own - a.own);
  return best?.word ?? word;
}

/** A letter or its look-alike in an alphabet, or undefined. */
function writtenIn(alphabet: Alphabet, letter: string): string | undefined {
  const own = ALPHABETS.find((each) => each.letter.test(letter));
  if (own === undefined || own === alphabet) return letter;
  return alphabet.fromLatin.get(own.toLatin.get(letter) ?? "");
}

function alphabet(letter: RegExp, letters: string, latin: string): Alphabet {
  const pairs = Array.from(letters, (each, index): [string, string] => [each, latin.charAt(index)]);
  return { letter, toLatin: new Map(pairs), fromLatin: new Map(pairs.map(([own, twin]) => [twin, own])) };
}

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
const HANGUL = /[\uac00-\ud7a3\u1100-\u1112\u1161-\u1175\u11a8-\u11c2]/g;

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
function lettersOfHangul(hangul: string): string {
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
