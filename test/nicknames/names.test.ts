import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { countries, countryCodes } from "../../src/nicknames/countries.ts";

/** The files themselves, so that a fault of the loader cannot hide a fault of the lists. */
const NAMES = path.join(import.meta.dirname, "../../src/nicknames/names");

interface Lists {
  male: string[];
  female: string[];
  last: string[];
  lastBySex?: [string, string][];
}

const REQUIRED = "ru us gb de fr it es mx br pt pl ua cz se no nl tr jp cn kr vn in ge am ie gr ro hu".split(
  " ",
);

const LEGAL_PART = /^((Mc|Mac|O|De|Di|Du|Da|Van|Von|La|Le|Fitz|San)(?=[A-Z]))?[A-Z][a-z]{1,19}$/;

/** How [a man's, a woman's] last name must end, written down apart from the generator. */
const INFLECTION: Record<string, [male: RegExp, female: RegExp][]> = {
  ru: [
    [/(ov|ev|in)$/, /(ova|eva|ina)$/],
    [/sky$/, /skaya$/],
    [/oy$/, /aya$/],
  ],
  kz: [[/(ov|ev|in)$/, /(ova|eva|ina)$/]],
  ua: [
    [/sky$/, /ska$/],
    [/ov$/, /ova$/],
    [/[nlv]y$/, /[nlv]a$/],
  ],
  bg: [
    [/(ov|ev)$/, /(ova|eva)$/],
    [/ski$/, /ska$/],
  ],
  pl: [
    [/ski$/, /ska$/],
    [/cki$/, /cka$/],
    [/dzki$/, /dzka$/],
    [/ny$/, /na$/],
  ],
  cz: [
    [/[^y]$/, /ova$/],
    [/y$/, /[^v]a$/],
  ],
  gr: [
    [/os$/, /ou$/],
    [/(id|ad)is$/, /(id|ad)ou$/],
    [/[^d]is$/, /[^d]i$/],
    [/as$/, /a$/],
  ],
};

describe("the countries", () => {
  it("are at least the promised 28, each with one file of lists and no file without a country", () => {
    expect(countryCodes).toEqual(expect.arrayContaining(REQUIRED));
    const files = readdirSync(NAMES).map((file) => path.parse(file).name);
    expect(files.sort()).toEqual([...countryCodes].sort());
  });

  it("have an English and a Russian name each, ordered by the English one", () => {
    for (const { name } of countries) {
      expect(name.en).toMatch(/^[A-Z][A-Za-z ]+$/);
      expect(name.ru).toMatch(/^[А-ЯЁ][А-Яа-яёЁ ]+$/);
    }
    const names = countries.map(({ name }) => name.en);
    expect(names).toEqual([...names].sort());
  });
});

it.each([...countryCodes])("the lists of %s are long, legal, in order and without repetitions", (country) => {
  const lists = read(country);
  const pairs = lists.lastBySex ?? [];
  expect(lists.male.length).toBeGreaterThanOrEqual(80);
  expect(lists.female.length).toBeGreaterThanOrEqual(80);
  expect(lists.last.length + pairs.length).toBeGreaterThanOrEqual(120);
  for (const list of [lists.male, lists.female, lists.last, pairs.map(([male]) => male)]) {
    expect(list.filter((name) => !LEGAL_PART.test(name))).toEqual([]);
    expect(list).toEqual([...list].sort());
    expect(new Set(list.map((name) => name.toLowerCase())).size).toBe(list.length);
  }
  expect(pairs.map(([, female]) => female).filter((name) => !LEGAL_PART.test(name))).toEqual([]);
  // A few first names are for both sexes, and no last name is both with and without a sex.
  expect(lists.male.filter((name) => lists.female.includes(name)).length).toBeLessThanOrEqual(4);
  const sexed = pairs.flat();
  expect(new Set(sexed).size).toBe(sexed.length);
  expect(lists.last.filter((name) => sexed.includes(name))).toEqual([]);
});

describe.each(Object.entries(INFLECTION))("last names that change with the sex in %s", (country, endings) => {
  const { last, lastBySex = [] } = read(country);

  it("end as the language has it, the woman's form made from the man's", () => {
    expect(lastBySex.length).toBeGreaterThan(30);
    const wrong = lastBySex.filter(
      ([male, female]) => !endings.some(([man, woman]) => man.test(male) && woman.test(female)),
    );
    expect(wrong).toEqual([]);
    expect(lastBySex.filter(([male, female]) => male.slice(0, 2) !== female.slice(0, 2))).toEqual([]);
  });

  it("are nowhere among those that do not change", () => {
    const sexed = /(?:[^aeiou]ov|[^aeiou]ev|ova|eva|[tdcs]ki|sky|ska|cka|skaya|opoulos|idis)$/;
    expect(last.filter((name) => sexed.test(name))).toEqual([]);
  });
});

it("drops the vowel that Czech drops, and only there", () => {
  const czech = new Map(read("cz").lastBySex);
  const forms = ["Havel", "Hudec", "Hajek", "Svec", "Kadlec", "Novak", "Cerny", "Svoboda", "Kolar"];
  const expected = "Havlova Hudcova Hajkova Svecova Kadlecova Novakova Cerna Svobodova Kolarova";
  expect(forms.map((name) => czech.get(name)).join(" ")).toBe(expected);
});

function read(country: string): Lists {
  return JSON.parse(readFileSync(path.join(NAMES, `${country}.json`), "utf8"));
}
