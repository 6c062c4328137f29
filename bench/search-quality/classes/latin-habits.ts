/**
 * Six habits of writing Russian in Latin letters, each a table from a Cyrillic letter to Latin ones, in the order of
 * the alphabet. The other letters are Ukrainian and Belarusian.
 */
type Letters = Readonly<Record<string, string>>;

export interface LatinHabit {
  name: string;
  letters: Letters;
  /** Where е (and ё) begins a word or stands after a vowel, й, ъ or ь, it is written like this. */
  initialE?: string;
  /** ц before e, i, y and j. */
  softC?: string;
}

const ALPHABET = "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґў";

export const LATIN_HABITS: readonly LatinHabit[] = [
  {
    // https://en.wikipedia.org/wiki/ISO_9#GOST_7.79_System_B
    name: "GOST 7.79 B",
    letters: table(
      "a b v g d e yo zh z i j k l m n o p r s t u f x cz ch sh shh `` y' ` e` yu ya i yi ye g` u`",
    ),
    softC: "c",
  },
  {
    // https://www.icao.int/publications/Documents/9303_p3_cons_en.pdf, section 6 B
    name: "passport",
    letters: table("a b v g d e e zh z i i k l m n o p r s t u f kh ts ch sh shch ie y - e iu ia i i ie g u"),
  },
  {
    // https://en.wikipedia.org/wiki/BGN/PCGN_romanization_of_Russian, without the dots on ë
    name: "BGN/PCGN",
    letters: table(
      "a b v g d e ye zh z i y k l m n o p r s t u f kh ts ch sh shch - y ' e yu ya i yi ye g w",
    ),
    initialE: "ye",
  },
  {
    // https://en.wikipedia.org/wiki/Scientific_transliteration_of_Cyrillic, as typed without háčeks
    name: "scientific, no diacritics",
    letters: table("a b v g d e e z z i j k l m n o p r s t u f ch c c s sc - y ' e ju ja i ji je g u"),
  },
  {
    name: "chat",
    letters: table("a b v g d e e j z i i k l m n o p r s t u f x c ch w w - y - e u ya i i e g u"),
  },
  {
    // https://de.wikipedia.org/wiki/Kyrillisches_Alphabet, the column of the Duden
    name: "German",
    letters: table(
      "a b w g d e jo sch s i i k l m n o p r s t u f ch z tsch sch schtsch - y - e ju ja i ji je g u",
    ),
    initialE: "je",
  },
];

/** Writes Cyrillic text in Latin letters; case follows the Cyrillic letter. */
export function toLatin(text: string, { letters, initialE, softC }: LatinHabit): string {
  let latin = "";
  let previous = "";
  for (const [index, letter] of [...text].entries()) {
    const lower = letter.toLowerCase();
    let written = letters[lower] ?? letter;
    if (lower === "е" && initialE && (previous === "" || BEFORE_SOFT_E.test(previous))) written = initialE;
    if (lower === "ц" && softC && SOFTENING.test(text.charAt(index + 1))) written = softC;
    latin += letter === lower ? written : written.charAt(0).toUpperCase() + written.slice(1);
    previous = lower;
  }
  return latin;
}

const BEFORE_SOFT_E = /[аеёиоуыэюяійьъ\P{Letter}]/u;
const SOFTENING = /[еёиыйюяэ]/i;

/** A dash in the list stands for a letter that is left out. */
function table(latin: string): Letters {
  const written = latin.split(" ").map((letters) => (letters === "-" ? "" : letters));
  return Object.fromEntries([...ALPHABET].map((letter, index) => [letter, written[index] ?? ""]));
}
