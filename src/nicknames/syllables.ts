import type { CountryCode } from "./countries.ts";
import type { CountryNames } from "./country-names.ts";

/** Words in lower case for first names by sex and for last names; they may include listed names. */
export interface SyllableWords {
  male: string[];
  female: string[];
  last: string[];
}

/**
 * New combinations of real syllables, for the countries whose names are built of them. There, a spelling model
 * mostly makes sequences that are obviously not syllables of the language. Undefined for the countries where the
 * model works well.
 */
export function combineSyllables(country: CountryCode, names: CountryNames): SyllableWords | undefined {
  if (country === "cn" || country === "kr") return combineGivenNames(names);
  if (country === "vn") return combineVietnamese(names);
  return undefined;
}

function combineGivenNames({ male, female, last }: CountryNames): SyllableWords {
  const openings = [...male, ...female].map((name) => splitSyllables(name)[0] ?? "");
  const compounds = last.filter((name) => splitSyllables(name).length === 2);
  return {
    male: crossSyllables(male),
    female: crossSyllables(female),
    last: [...new Set([...openings.filter((syllable) => syllable.length > 1), ...crossSyllables(compounds)])],
  };
}

/** Combines every first syllable of the two-syllable names with every second one. */
function crossSyllables(names: readonly string[]): string[] {
  const pairs = names.map(splitSyllables).filter((syllables) => syllables.length === 2);
  const openings = pairs.map(([opening]) => opening ?? "");
  const closings = pairs.map(([, closing]) => closing ?? "");
  return cross(openings, closings).filter((word) => !/^(.+)\1$/.test(word));
}

/** An optional consonant, vowels, and an ending that cannot begin the next syllable: Jian-guo, Seo-yeon. */
const syllablePattern = /(?:[zcs]h|[jkpst]{2}|[b-df-hj-np-tv-z])?[yw]?[aeiou]+(?:ng|[klmnpt])?(?![aeiou])/g;

/** The one or two syllables of a Chinese or Korean name; empty if it does not divide that way. */
function splitSyllables(name: string): string[] {
  const word = name.toLowerCase();
  const syllables = word.match(syllablePattern) ?? [];
  return syllables.length <= 2 && syllables.join("") === word ? syllables : [];
}

/** Vietnamese given names get two syllables (Minhtuan); family names keep one, with a new beginning and ending. */
function combineVietnamese({ male, female, last }: CountryNames): SyllableWords {
  const isSyllable = (name: string) => /^[^aeiouy]*[aeiouy]+[^aeiouy]*$/.test(name);
  const [men = [], women = [], families = []] = [male, female, last].map((names) =>
    names.map((name) => name.toLowerCase()).filter(isSyllable),
  );
  const isHandy = (name: string) => name.length <= LONGEST_DOUBLE;
  return {
    male: cross(men, men).filter(isHandy),
    female: cross(women, women).filter(isHandy),
    last: crossRimes(families),
  };
}

const LONGEST_DOUBLE = 8;

/** Spellings that Vietnamese does not have: c and g before e, i, y (it has k and gh there), k before a, o, u. */
const misspelt = /^(?:n?g|c)[eiy]|^(?:k|n?gh)[aou]|^q(?!u)|^[cv]uy|^[^aeiouy]ye|uu|^[^aeiouy]*$|^.$/;

function crossRimes(syllables: readonly string[]): string[] {
  const onsets = syllables.map((syllable) => syllable.match(/^(?:qu|gi|[^aeiouy]*)/)?.[0] ?? "");
  const rimes = syllables.map((syllable, index) => syllable.slice(onsets[index]?.length));
  return cross(onsets, rimes).filter((syllable) => !misspelt.test(syllable));
}

/** Combines every opening with every closing; each word once, as several pairs may make the same one. */
function cross(openings: readonly string[], closings: readonly string[]): string[] {
  return [...new Set(openings.flatMap((opening) => closings.map((closing) => opening + closing)))];
}
