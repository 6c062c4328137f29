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
