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

describe.each([...countryCodes])("the lists of %s", (country) => {
  const lists = read(country);
  const pairs = lists.lastBySex ?? [];

  it("are long enough", () => {
    expect(lists.male.length).toBeGreaterThanOrEqual(80);
    expect(lists.female.length).toBeGreaterThanOrEqual(80);
    expect(lists.last.length + pairs.length).toBeGreaterThanOrEqual(120);
  });

  it("hold only legal parts, in order and once each whatever the case", () => {
    for (const list of [lists.male, lists.female, lists.last, pairs.map(([male]) => male)]) {
      expect(list.filter((name) => !LEGAL_PART.test(name))).toEqual([]);
      expect(list).toEqual([...list].sort());
      expect(new Set(list.map((name) => name.toLowerCase())).size).toBe(list.length);
    }
    expect(pairs.map(([, female]) => female).filter((name) => !LEGAL_PART.test(name))).toEqual([]);
  });

  it("keep men's and women's first names apart, but for a few names of both", () => {
    expect(lists.male.filter((name) => lists.female.includes(name)).length).toBeLessThanOrEqual(4);
  });

  it("have no last name both with and without a sex", () => {
    const sexed = pairs.flat();
    expect(new Set(sexed).size).toBe(sexed.length);
    expect(lists.last.filter((name) => sexed.includes(name))).toEqual([]);
  });
});

function read(country: string): Lists {
  return JSON.parse(readFileSync(path.join(NAMES, `${country}.json`), "utf8"));
}
