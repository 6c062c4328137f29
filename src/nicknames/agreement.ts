import type { CountryCode } from "./countries.ts";
import { allReadings, readNames, type Sex } from "./country-names.ts";

/**
 * Endings that show the sex of an unlisted last name, for the countries whose last names change with the sex.
 * Only unambiguous endings: Czech `Vodicka` is a man's, `Hladka` a woman's, so -ka is not listed.
 */
const lastEndings: Partial<Record<CountryCode, Record<Sex, RegExp>>> = {
  ru: { male: /(?:[oe]v|[iy]n|[ts]ky|skiy|skoy)$/, female: /(?:[oe]va|[iy]na|[ts]kaya)$/ },
  kz: { male: /(?:[oe]v|in|sky)$/, female: /(?:[oe]va|ina|skaya)$/ },
  ua: { male: /(?:[oe]v|[stz]ky)$/, female: /(?:[oe]va|[stz]ka)$/ },
  bg: { male: /(?:[oe]v|ski)$/, female: /(?:[oe]va|ska)$/ },
  pl: { male: /(?:ski|cki|dzki)$/, female: /(?:ska|cka|dzka)$/ },
  cz: { male: /[^aeiou]$/, female: /(?:ova|[nv]ska)$/ },
  gr: { male: /(?:os|is|as|es)$/, female: /(?:opoulou|idou|adou|aki|eli)$/ },
};

/** Endings of first names in those countries: consonant for men, -a for women; the lists have the exceptions. */
const firstEndings = { male: /[^aeiou]$/, female: /a$/ };

/** Men's short forms in -a; not in the lists, because the generator only makes full names. */
const mensShortNames =
  /^(?:alyosha|barnaba|borya|dima|fedya|gosha|grisha|honza|jarda|jirka|kolya|kostya|kuba|lyosha|lyova|misha|mitya|pasha|pepa|petya|senya|ser(?:yo|e)zha|standa|stepa|styopa|tolya|tonda|t(?:yo|e)ma|vanya|vasya|vitalya|vitya|vova|yura|zhora)$/;

/** Short forms that both men and women use. */
const sharedShortNames = /^(?:sasha|sasza|shura|slava|valya|zhenya)$/;

/**
 * The sex that a last name shows in the country: `female` for Ivanova, undefined for Shevchenko. Looks in the
 * country's own lists, then in those of the other countries, then at the ending.
 */
export function sexOfLastName(country: CountryCode, last: string): Sex | undefined {
  const { last: unchanging, lastBySex } = readNames(country);
  if (unchanging.some((name) => same(name, last))) return undefined;
  if (lastBySex.some(([male]) => same(male, last))) return "male";
  if (lastBySex.some(([, female]) => same(female, last))) return "female";
  const elsewhere = allReadings().last.get(last.toLowerCase());
  return elsewhere ? only(elsewhere) : byEnding(lastEndings[country], last);
}

/**
 * The sex of a first name in the country: `female` for Zofia, undefined for a unisex or unknown name. Looks in
 * the country's own lists, then in those of the other countries, then, where last names change, at the ending.
 */
export function sexOfFirstName(country: CountryCode, first: string): Sex | undefined {
  const { male, female } = readNames(country);
  const here = new Set<Sex>();
  if (male.some((name) => same(name, first))) here.add("male");
  if (female.some((name) => same(name, first))) here.add("female");
  if (here.size > 0) return only(here);
  const endings = lastEndings[country] && firstEndings;
  if (endings && mensShortNames.test(first.toLowerCase())) return "male";
  if (endings && sharedShortNames.test(first.toLowerCase())) return undefined;
  const elsewhere = only(allReadings().first.get(first.toLowerCase()));
  return elsewhere ?? byEnding(endings, first);
}

function byEnding(endings: Record<Sex, RegExp> | undefined, name: string): Sex | undefined {
  if (endings?.female.test(name)) return "female";
  if (endings?.male.test(name)) return "male";
  return undefined;
}

function only(sexes: Set<Sex> | undefined): Sex | undefined {
  const [sex, another] = sexes ?? [];
  return another ? undefined : sex;
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
