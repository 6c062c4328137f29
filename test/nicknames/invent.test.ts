import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type CountryCode, countryCodes } from "../../src/nicknames/countries.ts";
import { inventNames, isProfane } from "../../src/nicknames/invent.ts";

const listed = new Set(countryCodes.flatMap((code) => namesIn(code)));

it.each([...countryCodes])(
  "invented names of %s are many, new, well-formed, decent and of usual length",
  (country) => {
    const { firsts, lasts } = inventNames(country);
    const lists = [firsts.male, firsts.female, lasts.male, lasts.female];
    const all = lists.flat();
    for (const list of lists) {
      expect(list.length).toBeGreaterThan(50);
      expect(new Set(list).size).toBe(list.length);
    }
    expect(all.filter((name) => listed.has(name.toLowerCase()))).toEqual([]);
    expect(all.filter((name) => !/^[A-Z][a-z]+$/.test(name))).toEqual([]);
    expect(all.filter((name) => !/[aeiouy]/i.test(name))).toEqual([]);
    expect(all.filter((name) => /(.)\1\1/i.test(name))).toEqual([]);
    const mean = (names: readonly string[]) => names.join("").length / names.length;
    expect(Math.abs(mean(all) - mean(namesIn(country)))).toBeLessThan(3);
    const indecent =
      /fuck|shit|cunt|nigg|bitch|penis|vagin|whore|slut|nazi|pizd|blya|pidor|mudak|kurw|puta$/i;
    expect(all.filter((name) => indecent.test(name))).toEqual([]);
  },
);

describe("invented last names keep the ending of the sex", () => {
  it.each<[CountryCode, wrongForMen: RegExp, wrongForWomen: RegExp]>([
    ["ru", /(?:a|skaya)$/, /(?:[oei]v|in|sky|oy)$/],
    ["bg", /a$/, /[^a]$/],
    ["kz", /a$/, /[^a]$/],
    ["ua", /(?:ska|ova)$/, /(?:sky|ov)$/],
    ["pl", /(?:ska|cka)$/, /(?:ski|cki)$/],
    ["cz", /ova$/, /[^aiu]$/],
    ["gr", /(?:opoulou|idou|adou|aki)$/, /[^aiu]$/],
  ])("in %s", (country, wrongForMen, wrongForWomen) => {
    const { male, female } = inventNames(country).lasts;
    expect(male.filter((name) => wrongForMen.test(name))).toEqual([]);
    expect(female.filter((name) => wrongForWomen.test(name))).toEqual([]);
  });

  it("and look like the country's: Polish -ski, Armenian -yan, Georgian -shvili or -dze", () => {
    const share = (country: CountryCode, ending: RegExp) => {
      const { male } = inventNames(country).lasts;
      return male.filter((name) => ending.test(name)).length / male.length;
    };
    expect(share("pl", /ski$|cki$/)).toBeGreaterThan(0.4);
    expect(share("am", /yan$/)).toBe(1);
    expect(share("ge", /shvili$|dze$|ia$|ani$|ava$/)).toBeGreaterThan(0.8);
    expect(share("rs", /ic$/)).toBeGreaterThan(0.9);
  });
});

it("invented first names of women and men differ", () => {
  for (const country of ["ru", "es", "pl", "it"] as const) {
    const { male, female } = inventNames(country).firsts;
    expect(male.filter((name) => female.includes(name))).toEqual([]);
    const inA = (names: readonly string[]) =>
      names.filter((name) => name.endsWith("a")).length / names.length;
    expect(inA(female)).toBeGreaterThan(0.6);
    expect(inA(male)).toBeLessThan(0.1);
  }
});

it("Chinese and Korean ones are made of whole syllables", () => {
  const pinyin = /^(?:(?:zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw])?[aeiou]{1,3}(?:ng|n|r)?){2}$/i;
  const chinese = inventNames("cn").firsts;
  expect([...chinese.male, ...chinese.female].filter((name) => !pinyin.test(name))).toEqual([]);
  expect(chinese.female).toContain("Meilan");
  const korean = inventNames("kr").firsts;
  const hangul = /^(?:(?:ch|[bdghjklmnprst])?[yw]?[aeiou]{1,3}(?:ng|[klmnpt])?){2}$/i;
  expect([...korean.male, ...korean.female].filter((name) => !hangul.test(name))).toEqual([]);
  expect(korean.male).toContain("Junghyun");
  expect([...korean.male, ...chinese.female].filter((name) => /^(.+)\1$/i.test(name))).toEqual([]);
});

it.each([
  ["fuckov", true],
  ["huyev", true],
  ["thuy", false],
  ["assman", true],
  ["vassil", false],
  ["anal", true],
  ["analia", false],
  ["pizdin", true],
  ["petrov", false],
])("the profanity check answers %s with %s", (word, profane) => {
  expect(isProfane(word)).toBe(profane);
});

function namesIn(country: CountryCode): string[] {
  const file = path.join(import.meta.dirname, `../../src/nicknames/names/${country}.json`);
  const { male, female, last, lastBySex = [] } = JSON.parse(readFileSync(file, "utf8"));
  return [...male, ...female, ...last, ...lastBySex.flat()].map((name: string) => name.toLowerCase());
}
