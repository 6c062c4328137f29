/** Lower-case letters whose small or capital forms look like a Latin one. */
const CYRILLIC = "а a|в b|с c|е e|н h|і i|ј j|к k|м m|о o|р p|ԛ q|ѕ s|т t|ԝ w|х x|у y";
const GREEK = "α a|β b|ε e|η h|ι i|κ k|μ m|ν n|ο o|ρ p|τ t|χ x|υ y|ζ z";

interface Alphabet {
  readonly letter: RegExp;
  readonly toLatin: ReadonlyMap<string, string>;
  readonly fromLatin: ReadonlyMap<string, string>;
}

/** In the order in which they are preferred. */
const ALPHABETS: readonly Alphabet[] = [
  alphabet(/\p{Script=Cyrillic}/u, CYRILLIC),
  alphabet(/\p{Script=Latin}/u, ""),
  alphabet(/\p{Script=Greek}/u, GREEK),
];

/**
 * Turns words of letters from several alphabets into one, where each stray letter has a look-alike there: the Latin e
 * in a Russian word is е. Where more than one alphabet would do, into that of most letters, or else Cyrillic. Words
 * that really are of several alphabets stay. Takes normalised text.
 */
export function inOneAlphabet(text: string): string {
  return text.split(" ").map(wordInOneAlphabet).join(" ");
}

function wordInOneAlphabet(word: string): string {
  const letters = [...word];
  const counts = ALPHABETS.map(({ letter }) => letters.filter((each) => letter.test(each)).length);
  if (counts.filter((count) => count > 0).length < 2) return word;
  const readings = ALPHABETS.map((alphabet, index) => ({
    word: letters.map((letter) => writtenIn(alphabet, letter)),
    count: counts[index] ?? 0,
  })).filter(({ word, count }) => count > 0 && !word.includes(undefined));
  const [best] = readings.sort((a, b) => b.count - a.count);
  return best ? best.word.join("") : word;
}

/** A letter as its look-alike in an alphabet; undefined where it has none there. */
function writtenIn(alphabet: Alphabet, letter: string): string | undefined {
  const own = ALPHABETS.find((each) => each.letter.test(letter));
  if (own === undefined || own === alphabet) return letter;
  const latin = own.toLatin.get(letter) ?? (own.letter.test("a") ? letter : undefined);
  if (latin === undefined || alphabet.letter.test("a")) return latin;
  return alphabet.fromLatin.get(latin);
}

function alphabet(letter: RegExp, pairs: string): Alphabet {
  const twins = pairs === "" ? [] : pairs.split("|").map((pair) => pair.split(" ") as [string, string]);
  return {
    letter,
    toLatin: new Map(twins),
    fromLatin: new Map(twins.map(([own, latin]) => [latin, own])),
  };
}
