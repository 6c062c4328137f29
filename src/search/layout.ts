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
const TO_LATIN = new Map<string, string>([
  ...keys(UKRAINIAN, US),
  ["'", "'"],
  ["’", "’"],
  ...keys(RUSSIAN, US),
]);

const LATIN = /[a-z]/i;
const CYRILLIC = /[\u0400-\u052f]/;

/**
 * What a text typed with the wrong keyboard layout on was meant to be: Latin letters as the same keys give Cyrillic
 * ones (Russian, then Ukrainian where that differs), and Cyrillic as Latin. Takes the text as typed, for half of the
 * punctuation keys are letters on the other side; keeps case and what no key types. In text of both alphabets the words
 * of either are taken for the mistaken ones in turn.
 *
 * Likeliest first; never `text` itself; none where no key changes into a letter.
 */
export function otherLayouts(text: string): string[] {
  const typed = text.normalize("NFC");
  const cyrillic = CYRILLIC.test(typed);
  const meant: string[] = [];
  if (LATIN.test(typed) || !cyrillic) {
    const readings = TO_CYRILLIC.map((layout) => retype(typed, layout, CYRILLIC));
    meant.push(...readings.filter((reading) => CYRILLIC.test(reading)));
  }
  if (cyrillic) meant.push(retype(typed, TO_LATIN, LATIN));
  return [...new Set(meant)].filter((reading) => reading !== typed);
}

/** Presses the keys of every word again, but for words that have a letter of the alphabet meant. */
function retype(text: string, layout: ReadonlyMap<string, string>, meant: RegExp): string {
  return text.replace(/\S+/g, (word) => {
    if (meant.test(word)) return word;
    return Array.from(word, (letter) => layout.get(letter) ?? letter).join("");
  });
}

function keys(from: string, to: string): Map<string, string> {
  return new Map(Array.from(from, (key, index) => [key, to.charAt(index)]));
}
