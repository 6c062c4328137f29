/** The keys of a US keyboard, row by row: as they are, then with Shift. */
const US = [
  "`1234567890-=",
  "qwertyuiop[]\\",
  "asdfghjkl;'",
  "zxcvbnm,./",
  "~!@#$%^&*()_+",
  "QWERTYUIOP{}|",
  'ASDFGHJKL:"',
  "ZXCVBNM<>?",
].join("");

/** https://kbdlayout.info/kbdru */
const RUSSIAN = [
  "ё1234567890-=",
  "йцукенгшщзхъ\\",
  "фывапролджэ",
  "ячсмитьбю.",
  'Ё!"№;%:?*()_+',
  "ЙЦУКЕНГШЩЗХЪ/",
  "ФЫВАПРОЛДЖЭ",
  "ЯЧСМИТЬБЮ,",
].join("");

/** https://kbdlayout.info/kbdur, with ґ where ISO keyboards have it. */
const UKRAINIAN = [
  "'1234567890-=",
  "йцукенгшщзхїґ",
  "фівапролджє",
  "ячсмитьбю.",
  '’!"№;%:?*()_+',
  "ЙЦУКЕНГШЩЗХЇҐ",
  "ФІВАПРОЛДЖЄ",
  "ЯЧСМИТЬБЮ,",
].join("");

const TO_CYRILLIC = [keys(US, RUSSIAN), keys(US, UKRAINIAN)];
/** One table reads both layouts: a key gives a letter that only one of them has, or the same in both. */
const TO_LATIN = [new Map([...keys(UKRAINIAN, US), ["'", "'"], ["’", "’"], ...keys(RUSSIAN, US)])];

const LATIN = /[a-z]/i;
const CYRILLIC = /[\u0400-\u052f]/;

/**
 * What a text typed with the wrong keyboard layout on was meant to be: Latin letters as the same keys give Cyrillic
 * ones (Russian, then Ukrainian where that differs), and Cyrillic as Latin. Takes the text as typed, for half of the
 * punctuation keys are letters on the other side; keeps case and what no key types. In text of both alphabets each is
 * read as a slip in turn, the words that have letters of the other staying as they are.
 *
 * Likeliest first; never `text` itself; none for text without letters of either alphabet.
 */
export function otherLayouts(text: string): string[] {
  const typed = text.normalize("NFC");
  const latin = LATIN.test(typed);
  const cyrillic = CYRILLIC.test(typed);
  const readings = [
    ...(latin ? TO_CYRILLIC.map((layout) => retype(typed, layout, cyrillic ? CYRILLIC : undefined)) : []),
    ...(cyrillic ? TO_LATIN.map((layout) => retype(typed, layout, latin ? LATIN : undefined)) : []),
  ];
  return [...new Set(readings)].filter((reading) => reading !== text);
}

/** Presses the keys of every word again, but for words that have a letter of `kept`. */
function retype(text: string, layout: ReadonlyMap<string, string>, kept: RegExp | undefined): string {
  return text.replace(/\S+/g, (word) => {
    if (kept?.test(word)) return word;
    return Array.from(word, (letter) => layout.get(letter) ?? letter).join("");
  });
}

function keys(from: string, to: string): Map<string, string> {
  return new Map(Array.from(from, (key, index) => [key, to.charAt(index)]));
}
