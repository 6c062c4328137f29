import { readFileSync } from "node:fs";
import { z } from "zod";
import { memoize } from "../settings/memoize.ts";
import { type CountryCode, countryCodes } from "./countries.ts";

/** The sex that a name belongs to; first and last name must agree in it. */
export type Sex = "male" | "female";

const namesSchema = z.object({
  male: z.array(z.string()),
  female: z.array(z.string()),
  /** Last names with one form for both sexes. */
  last: z.array(z.string()),
  /** Last names that change with the sex, as [male form, female form]. */
  lastBySex: z.array(z.tuple([z.string(), z.string()])).default([]),
});

/** A country's lists, as in its file in `names/`. */
export type CountryNames = z.output<typeof namesSchema>;

/** The lists of one country, read on first use and kept. */
export const readNames = memoize((country: CountryCode): CountryNames => {
  const file = new URL(`./names/${country}.json`, import.meta.url);
  return namesSchema.parse(JSON.parse(readFileSync(file, "utf8")));
});

/** All last names in the country for a man or a woman. */
export function listLastNames(country: CountryCode, sex: Sex): string[] {
  const { last, lastBySex } = readNames(country);
  return [...last, ...lastBySex.map(([male, female]) => (sex === "male" ? male : female))];
}

/** The sexes of each name in the lists of all countries, by the name in lower case. */
interface Readings {
  first: Map<string, Set<Sex>>;
  /** Both sexes: the last name does not change in at least one country. */
  last: Map<string, Set<Sex>>;
  /** Last names that have a sex in some country, even if not in others. */
  lastBySex: Map<string, Set<Sex>>;
}

/** The readings of every listed name, built on first use and kept. */
export const allReadings = memoize((): Readings => {
  const found: Readings = { first: new Map(), last: new Map(), lastBySex: new Map() };
  for (const country of countryCodes) {
    const { male, female, last, lastBySex } = readNames(country);
    for (const name of male) note(found.first, name, "male");
    for (const name of female) note(found.first, name, "female");
    for (const name of last) note(found.last, name, "male", "female");
    for (const [maleForm, femaleForm] of lastBySex) {
      for (const map of [found.last, found.lastBySex]) {
        note(map, maleForm, "male");
        note(map, femaleForm, "female");
      }
    }
  }
  return found;
});

function note(map: Map<string, Set<Sex>>, name: string, ...sexes: Sex[]): void {
  const key = name.toLowerCase();
  const known = map.get(key) ?? new Set();
  for (const sex of sexes) known.add(sex);
  map.set(key, known);
}
