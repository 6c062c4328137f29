import { memoize } from "../settings/memoize.ts";
import { type CountryCode, countryCodes } from "./countries.ts";
import { allReadings, listLastNames, readNames, type Sex } from "./country-names.ts";
import { inventNames } from "./invent.ts";
import { byLength, type Pool, pickPairs } from "./pick.ts";
import { createDraw } from "./random.ts";

/** A player's request. Fixed parts are normalised by `normaliseFixedPart`; lengths are of the whole nickname. */
export interface NicknameRequest {
  country: CountryCode;
  mode: NicknameMode;
  sex: Sex | "any";
  first?: string | undefined;
  last?: string | undefined;
  minLength: number;
  maxLength: number;
  count: number;
  seed?: string | undefined;
}

/**
 * Distinct legal nicknames `First_Last` within the bounds; fewer than `count` if no more exist. The same request and seed
 * give the same result on every machine while the lists stay the same; without a seed the result is random. It is empty
 * for an impossible request (see `findImpossible`).
 */
export function generateNicknames(request: NicknameRequest): string[] {
  const { country, mode, minLength: min, maxLength: max, count, seed } = request;
  const pool = withFixedParts(findPool(country, mode), request);
  const pairs = pickPairs(pool, agreedSex(request), { min, max }, count, createDraw(seed));
  return pairs.map(([first, last]) => `${first}_${last}`);
}

/** The requested sex; for `any` that of a fixed part, the last name first. */
function agreedSex({ country, sex, first, last }: NicknameRequest): Sex | "any" {
  if (sex !== "any") return sex;
  const shown = last === undefined ? undefined : sexOfLastName(country, last);
  return shown ?? (first === undefined ? undefined : sexOfFirstName(country, first)) ?? "any";
}

/** A fixed part replaces all names of its side and pairs with any other part. */
function withFixedParts(pool: Pool, { first, last }: NicknameRequest): Pool {
  if (first === undefined && last === undefined) return pool;
  const none = byLength([]);
  const onlyFirst = first === undefined ? undefined : { male: none, female: none, both: byLength([first]) };
  const lasts = last === undefined ? undefined : byLength([last]);
  const onlyLast = lasts && { male: lasts, female: lasts, any: lasts };
  return { firsts: onlyFirst ?? pool.firsts, lasts: onlyLast ?? pool.lasts };
}

/** The source of names: the country's lists, its first names with foreign last names, or invented names. */
type NicknameMode = "real" | "mixed" | "invented";

type NamesBySex = Record<Sex, readonly string[]>;

/** All names of a mode in a country, grouped for picking; made on first use and kept. */
const findPool = memoize((country: CountryCode, mode: NicknameMode): Pool => {
  const { firsts, lasts } = mode === "invented" ? inventNames(country) : listNames(country, mode);
  return { firsts: sortFirsts(firsts), lasts: sortLasts(lasts) };
});

function listNames(country: CountryCode, mode: "real" | "mixed"): { firsts: NamesBySex; lasts: NamesBySex } {
  const lasts = (sex: Sex) =>
    mode === "real" ? listLastNames(country, sex) : foreignLastNames(country, sex);
  return { firsts: readNames(country), lasts: { male: lasts("male"), female: lasts("female") } };
}

/**
 * The last names of other countries that this one does not have. A name that is male in any country, such as Novak in
 * Czechia, is never given to a woman, and vice versa.
 */
function foreignLastNames(country: CountryCode, sex: Sex): string[] {
  const own = new Set(
    [...listLastNames(country, "male"), ...listLastNames(country, "female")].map(lowerCase),
  );
  const others = countryCodes.filter((code) => code !== country).flatMap((code) => listLastNames(code, sex));
  const { lastBySex } = allReadings();
  const suits = (key: string) => [...(lastBySex.get(key) ?? [])].every((seen) => seen === sex);
  const foreign = new Map(others.map((name) => [lowerCase(name), name]));
  return [...foreign].filter(([key]) => !own.has(key) && suits(key)).map(([, name]) => name);
}

function sortFirsts({ male, female }: NamesBySex): Pool["firsts"] {
  const [men, women] = [new Set(male), new Set(female)];
  return {
    male: byLength(male.filter((name) => !women.has(name))),
    female: byLength(female.filter((name) => !men.has(name))),
    both: byLength(male.filter((name) => women.has(name))),
  };
}

function sortLasts({ male, female }: NamesBySex): Pool["lasts"] {
  return { male: byLength(male), female: byLength(female), any: byLength(new Set([...male, ...female])) };
}

function lowerCase(name: string): string {
  return name.toLowerCase();
}

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
function sexOfLastName(country: CountryCode, last: string): Sex | undefined {
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
function sexOfFirstName(country: CountryCode, first: string): Sex | undefined {
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
