import type { Locale } from "../web/request/locale.ts";
import type { Language } from "../words/i18n/languages.ts";
import type { KindFacets } from "./facets.ts";
import { isUnfiltered, type ListView } from "./list-address.ts";
import { type LetterCounts, LOCAL_ORDER_CAP } from "./list-queries.ts";

/** One letter above a list; without a `letter` that of all names. */
export interface LetterStep {
  letter: string | undefined;
  label: string;
  /** The number of records; blank if unknown. */
  figure: string;
  /** Nothing begins with it. */
  isEmpty: boolean;
  isCurrent: boolean;
}

const LATIN = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
/** The letters that words begin with; Ё counts as Е, and the others are shown if a name begins with them. */
const CYRILLIC = [..."АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЭЮЯ"];

/** What `name_initial` has for names without a letter of these alphabets, by their word in addresses. */
const OTHERS = new Map([
  ["other", "…"],
  ["0-9", "♯"],
]);

const LABELS = new Map([
  ["0-9", "#"],
  ["other", "…"],
]);

/** A pattern of what `readLetter` takes. */
export const LETTER = "^(?:0-9|other|[A-Za-zА-Яа-я])$";

/** Reads a letter of an address, in either case; undefined for anything else. */
export function readLetter(text: string): string | undefined {
  const letter = OTHERS.has(text) ? text : text.toUpperCase();
  return OTHERS.has(letter) || /^[A-ZА-Я]$/.test(letter) ? letter : undefined;
}

/** The value of `name_initial` for a letter of an address. */
export function initialOf(letter: string): string {
  return OTHERS.get(letter) ?? letter;
}

/**
 * The language whose names decide a list's letters: the page's, or undefined for the main names. Lists that are
 * sorted by main names, and kinds that are too large to scan, use the main names.
 */
export function lettersLanguage(
  view: ListView,
  { records }: KindFacets,
  language: Language,
): Language | undefined {
  const isWhole = isUnfiltered({ ...view, letter: undefined });
  const isLarge = records.atLeast || (isWhole && records.count > LOCAL_ORDER_CAP);
  return isLarge ? undefined : language;
}

/** How a letter is shown: `#` for digits and signs. */
export function letterLabel(letter: string): string {
  return LABELS.get(letter) ?? letter;
}

/**
 * The letters above a list: all of the reader's alphabet, those of the other one that names begin with, and what is no
 * letter of either.
 */
export function letterSteps(
  { counts, atLeast }: LetterCounts,
  current: string | undefined,
  { t, format, language }: Pick<Locale, "t" | "format" | "language">,
): LetterStep[] {
  const byInitial = new Map(counts);
  const used = (letters: string[]) => letters.filter((letter) => byInitial.has(letter));
  const more = used(["Ъ", "Ы", "Ь"]);
  const cyrillic = more.length > 0 ? [...CYRILLIC, ...more].sort() : CYRILLIC;
  const isCyrillic = new Intl.Locale(language).maximize().script === "Cyrl";
  const own = isCyrillic ? [...cyrillic, ...used(LATIN)] : [...LATIN, ...used(cyrillic)];
  const others = [...OTHERS].filter(([word, initial]) => byInitial.has(initial) || word === current);
  const letters = [...own, ...others.map(([word]) => word)];
  const step = (letter: string): LetterStep => {
    const count = byInitial.get(initialOf(letter));
    return {
      letter,
      label: letterLabel(letter),
      figure: count === undefined ? "" : format.number(count) + (atLeast ? "+" : ""),
      isEmpty: count === undefined && !atLeast && letter !== current,
      isCurrent: letter === current,
    };
  };
  const all = { letter: undefined, label: t("catalogue.letters.all"), figure: "", isEmpty: false };
  return [{ ...all, isCurrent: current === undefined }, ...letters.map(step)];
}
