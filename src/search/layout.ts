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
 * A text typed on the wrong keyboard layout, as the same keys write it on others. Latin letters become Cyrillic ones
 * (Russian, then Ukrainian if that differs), and Cyrillic letters Latin ones. Takes the text as typed, because many
 * punctuation keys are letters on the other layout; keeps case and characters without a key. In text of both
 * alphabets, it converts the words of each in turn, and words of both as a whole.
 *
 * Likeliest first; never `text` itself; empty if no key changes into a letter.
 */
export function otherLayouts(text: string): string[] {
  const typed = text.normalize("NFC");
  const cyrillic = CYRILLIC.test(typed);
  const meant: string[] = [];
  if (LATIN.test(typed) || !cyrillic) {
    const readings = TO_CYRILLIC.map((layout) => retype(typed, layout, { from: LATIN, to: CYRILLIC }));
    meant.push(...readings.filter((reading) => CYRILLIC.test(reading)));
  }
  if (cyrillic) meant.push(retype(typed, TO_LATIN, { from: CYRILLIC, to: LATIN }));
  return [...new Set(meant)].filter((reading) => reading !== typed);
}

/** Converts every word but those that are of the other alphabet alone. */
function retype(
  text: string,
  layout: ReadonlyMap<string, string>,
  alphabet: { readonly from: RegExp; readonly to: RegExp },
): string {
  return text.replace(/\S+/g, (word) => {
    if (alphabet.to.test(word) && !alphabet.from.test(word)) return word;
    let retyped = "";
    for (const letter of word) retyped += layout.get(letter) ?? letter;
    return retyped;
  });
}

function keys(from: string, to: string): Map<string, string> {
  return new Map(Array.from(from, (key, index) => [key, to.charAt(index)]));
}
