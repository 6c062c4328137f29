import { readFileSync } from "node:fs";
import { z } from "zod";
import { type CountryCode, countryCodes } from "./countries.ts";

/** A name's sex; what the whole generator means by agreeing. */
export type Sex = "male" | "female";

const namesSchema = z.object({
  male: z.array(z.string()),
  female: z.array(z.string()),
  /** Last names that are one word for both sexes. */
  last: z.array(z.string()),
  /** Last names that change with the sex, as [male form, female form]. */
  lastBySex: z.array(z.tuple([z.string(), z.string()])).default([]),
});

/** A country's lists, as its file in `names/` has them. */
export type CountryNames = z.output<typeof namesSchema>;

const loaded = new Map<CountryCode, CountryNames>();

/** The lists of one country, read on the first use and kept. */
export function namesOf(country: CountryCode): CountryNames {
  const known = loaded.get(country);
  if (known) return known;
  const file = new URL(`./names/${country}.json`, import.meta.url);
  const names = namesSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  loaded.set(country, names);
  return names;
}

/** Every last name that a man or a woman of the country can bear. */
export function lastNamesOf(country: CountryCode, sex: Sex): string[] {
  const { last, lastBySex } = namesOf(country);
  return [...last, ...lastBySex.map(([male, female]) => (sex === "male" ? male : female))];
}

/** What the lists of all countries together say of a name, compared in lower case. */
interface Readings {
  first: Map<string, Set<Sex>>;
  /** Both sexes in the set: a last name that does not change, in one country at least. */
  last: Map<string, Set<Sex>>;
  /** Last names that have a sex in some country, whatever they are elsewhere. */
  lastBySex: Map<string, Set<Sex>>;
}

let readings: Readings | undefined;

/** The readings of every listed name, built on the first use and kept. */
export function allReadings(): Readings {
  readings ??= collectReadings();
  return readings;
}

function collectReadings(): Readings {
  const found: Readings = { first: new Map(), last: new Map(), lastBySex: new Map() };
  for (const country of countryCodes) {
    const { male, female, last, lastBySex } = namesOf(country);
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
}

function note(map: Map<string, Set<Sex>>, name: string, ...sexes: Sex[]): void {
  const key = name.toLowerCase();
  const known = map.get(key) ?? new Set();
  for (const sex of sexes) known.add(sex);
  map.set(key, known);
}
