/**
 * A request for 100 nicknames: `node bench/nicknames.ts`.
 *
 * Medians of 201 runs each, after a first one that reads the lists. The baseline pairs 100 first and last names of the
 * same lists as they come, without bounds, agreement in sex, uniqueness or bad words.
 */
import { randomInt } from "node:crypto";
import { type CountryCode, countryCodes } from "../src/nicknames/countries.ts";
import { lastNamesOf, namesOf } from "../src/nicknames/country-names.ts";
import { generateNicknames } from "../src/nicknames/generate.ts";

const COUNT = 100;
const RUNS = 201;

for (const country of countryCodes) {
  const baseline = medianMs(() => pairAny(country));
  const ours = medianMs(() =>
    generateNicknames({ country, mode: "real", sex: "any", count: COUNT, minLength: 3, maxLength: 24 }),
  );
  console.log(
    `${country}: ${ours.toFixed(2)} ms, ${(ours / baseline).toFixed(1)} times pairs without a rule (${baseline.toFixed(2)} ms)`,
  );
}

function pairAny(country: CountryCode): string[] {
  const [first, last] = [namesOf(country).male, lastNamesOf(country, "male")];
  return Array.from(
    { length: COUNT },
    () => `${first[randomInt(first.length)]}_${last[randomInt(last.length)]}`,
  );
}

function medianMs(work: () => unknown): number {
  work();
  const times = Array.from({ length: RUNS }, () => {
    const begun = performance.now();
    work();
    return performance.now() - begun;
  });
  return times.sort((a, b) => a - b)[(RUNS - 1) / 2] ?? Number.NaN;
}
