import { type CountryCode, countryCodes } from "./countries.ts";
import { allReadings, listLastNames, readNames, type Sex } from "./country-names.ts";
import { inventNames } from "./invent.ts";
import { byLength, type Pool } from "./pick.ts";

/** The source of names: the country's lists, its first names with foreign last names, or invented names. */
export type NicknameMode = "real" | "mixed" | "invented";

type NamesBySex = Record<Sex, readonly string[]>;

const pools = new Map<string, Pool>();

/** All names of a mode in a country, grouped for picking; made on first use and kept. */
export function findPool(country: CountryCode, mode: NicknameMode): Pool {
  const key = `${country} ${mode}`;
  const known = pools.get(key);
  if (known) return known;
  const { firsts, lasts } = mode === "invented" ? inventNames(country) : listNames(country, mode);
  const pool = { firsts: sortFirsts(firsts), lasts: sortLasts(lasts) };
  pools.set(key, pool);
  return pool;
}

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
