/**
 * How names are compared when answers are judged: NFKC, lower case, without accents (й is a letter of its own), ё as
 * е, every run of punctuation as one space. Written apart from the search's own normalisation on purpose: a judge that
 * shares the code of the judged shares its mistakes.
 */
export function fold(text: string): string {
  let folded = "";
  for (const letter of text.normalize("NFKC").toLowerCase().normalize("NFD")) {
    if (letter === BREVE && folded.endsWith("и")) folded = `${folded.slice(0, -1)}й`;
    else if (!ACCENT.test(letter)) folded += letter;
  }
  return folded
    .normalize("NFC")
    .split(BETWEEN_WORDS)
    .filter((word) => word !== "")
    .join(" ");
}

const BREVE = "\u0306";
/** Marks on Latin, Greek and Cyrillic letters; in other scripts, marks change the letter. */
const ACCENT = /[\u0300-\u036f]/;
const BETWEEN_WORDS = /[^\p{Letter}\p{Number}\p{Mark}\p{Other_Symbol}]+/u;

/** The words of a folded text that are letters only, and at least so many. */
export function longWords(folded: string, letters: number): string[] {
  return folded.split(" ").filter((word) => word.length >= letters && /^\p{Letter}+$/u.test(word));
}

export type Script = "latin" | "cyrillic" | "mixed" | "other";

/** Which alphabet the letters of a text are of; `other` where there are no letters, too. */
export function scriptOf(text: string): Script {
  const scripts = new Set<Script>();
  for (const letter of text.match(/\p{Letter}/gu) ?? []) {
    if (/\p{Script=Latin}/u.test(letter)) scripts.add("latin");
    else if (/\p{Script=Cyrillic}/u.test(letter)) scripts.add("cyrillic");
    else scripts.add("other");
  }
  const [first = "other"] = scripts;
  return scripts.size > 1 ? "mixed" : first;
}
