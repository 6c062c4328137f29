/** A habit of writing Russian in Latin letters: what is written for each Cyrillic one. */
export type LatinHabit = Readonly<Record<string, string>>;

/** The letters after я are Ukrainian and Belarusian. */
const ALPHABET = "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґў";

/**
 * Each lists the letters in the order of the alphabet; a dash stands for one that is left out. After a slash is what е
 * becomes at the beginning of a word and after a vowel, й, ъ or ь, and what ц becomes before e, i, y and j.
 */
export const LATIN_HABITS: readonly LatinHabit[] = [
  // https://en.wikipedia.org/wiki/ISO_9#GOST_7.79_System_B
  table("a b v g d e yo zh z i j k l m n o p r s t u f x cz/c ch sh shh `` y' ` e` yu ya i yi ye g` u`"),
  // Passports: https://www.icao.int/publications/Documents/9303_p3_cons_en.pdf, section 6 B
  table("a b v g d e e zh z i i k l m n o p r s t u f kh ts ch sh shch ie y - e iu ia i i ie g u"),
  // https://en.wikipedia.org/wiki/BGN/PCGN_romanization_of_Russian, without the dots on ë
  table("a b v g d e/ye ye zh z i y k l m n o p r s t u f kh ts ch sh shch - y ' e yu ya i yi ye g w"),
  // https://en.wikipedia.org/wiki/Scientific_transliteration_of_Cyrillic, as typed without háčeks
  table("a b v g d e e z z i j k l m n o p r s t u f ch c c s sc - y ' e ju ja i ji je g u"),
  // Chats
  table("a b v g d e e j z i i k l m n o p r s t u f x c ch w w - y - e u ya i i e g u"),
  // https://de.wikipedia.org/wiki/Kyrillisches_Alphabet, the column of the Duden
  table("a b w g d e/je jo sch s i i k l m n o p r s t u f ch z tsch sch schtsch - y - e ju ja i ji je g u"),
];

const BEFORE_SOFT_E = /^$|[аеёиоуыэюяійьъ\P{Letter}]/u;
const SOFTENING = /[еёиыйюяэ]/i;

/** Writes Cyrillic text in Latin letters; case follows the Cyrillic letter. */
export function toLatin(text: string, habit: LatinHabit): string {
  let latin = "";
  let previous = "";
  for (const [index, letter] of [...text].entries()) {
    const lower = letter.toLowerCase();
    const [usual = letter, soft = usual] = habit[lower]?.split("/") ?? [];
    const isSoft = lower === "ц" ? SOFTENING.test(text.charAt(index + 1)) : BEFORE_SOFT_E.test(previous);
    const written = isSoft ? soft : usual;
    latin += letter === lower ? written : written.charAt(0).toUpperCase() + written.slice(1);
    previous = lower;
  }
  return latin;
}

function table(latin: string): LatinHabit {
  const written = latin.split(" ").map((letters) => (letters === "-" ? "" : letters));
  return Object.fromEntries([...ALPHABET].map((letter, index) => [letter, written[index] ?? ""]));
}
