import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CountryCode, countryCodes } from "../../src/nicknames/countries.ts";
import { generateNicknames, type NicknameRequest } from "../../src/nicknames/generate.ts";
import { findImpossible } from "../../src/nicknames/schemas.ts";
import { translateText } from "../../src/words/i18n/lazy-text.ts";

type Sex = "male" | "female";

interface Lists {
  male: string[];
  female: string[];
  last: string[];
  lastBySex?: [string, string][];
}

const lists = new Map(countryCodes.map((code) => [code, read(code)]));
const pairs = [...lists.values()].flatMap(({ lastBySex = [] }) => lastBySex);
const formsOf = {
  male: new Set(pairs.map(([male]) => male)),
  female: new Set(pairs.map(([, female]) => female)),
};
const LEGAL_PART = /^((Mc|Mac|O|De|Di|Du|Da|Van|Von|La|Le|Fitz|San)(?=[A-Z]))?[A-Z][a-z]+$/;

/** Endings that only the other sex's last names have, written down apart from the generator. */
const WRONG_ENDING: Partial<Record<CountryCode, Record<Sex, RegExp>>> = {
  ru: { male: /(ova|eva|ina|skaya|tskaya|taya)$/, female: /(ov|ev|in|sky|oy)$/ },
  kz: { male: /(ova|eva|ina)$/, female: /(ov|ev|in)$/ },
  ua: { male: /(ska|tska|ova)$/, female: /(sky|tsky|ov|ny|ly)$/ },
  bg: { male: /(ova|eva|ska)$/, female: /(ov|ev|ski)$/ },
  pl: { male: /(ska|cka|dzka)$/, female: /(ski|cki|dzki)$/ },
  cz: { male: /ova$/, female: /[^aeiou]$/ },
  gr: { male: /(opoulou|idou|adou)$/, female: /(os|is|as)$/ },
};

describe("random calls over all countries, modes, sexes and bounds", () => {
  it("are legal, within bounds, unique, of two different names and agree in sex", () => {
    fc.assert(
      fc.property(requests(), (request) => {
        const nicknames = generateNicknames(request);
        expect(nicknames.length).toBeLessThanOrEqual(request.count);
        expect(new Set(nicknames.map((name) => name.toLowerCase())).size).toBe(nicknames.length);
        expect(nicknames.flatMap((nickname) => faultsOf(nickname, request))).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it("are as many as requested with usual bounds", () => {
    for (const country of countryCodes) {
      for (const mode of ["real", "mixed", "invented"] as const) {
        expect(generate({ country, mode, count: 100 }), `${country} ${mode}`).toHaveLength(100);
      }
    }
  });
});

describe("mixed names", () => {
  it.each([...countryCodes])("of %s have a first name of it and a foreign last name", (country) => {
    const { male, female, last, lastBySex = [] } = listsOf(country);
    const own = new Set([...last, ...lastBySex.flat()]);
    const parts = generate({ country, mode: "mixed", count: 100 }).map((nickname) => nickname.split("_"));
    expect(parts.filter(([first = ""]) => !male.includes(first) && !female.includes(first))).toEqual([]);
    expect(parts.filter(([, lastName = ""]) => own.has(lastName))).toEqual([]);
  });

  it("come from many countries", () => {
    const seen = generate({ country: "us", mode: "mixed", count: 100 }).map(
      (nickname) => nickname.split("_")[1],
    );
    const origins = [...lists].filter(([, { last, lastBySex = [] }]) =>
      seen.some((name) => name !== undefined && [...last, ...lastBySex.flat()].includes(name)),
    );
    expect(origins.length).toBeGreaterThan(20);
  });

  it("give no woman a name that is a man's somewhere, though it is for both sexes elsewhere", () => {
    expect(listsOf("hu").last).toContain("Novak");
    const women = everything({ country: "us", mode: "mixed", sex: "female", first: "Mary" });
    const men = everything({ country: "us", mode: "mixed", sex: "male", first: "John" });
    expect(women).toContain("Mary_Novakova");
    expect(women).not.toContain("Mary_Novak");
    expect(men).toContain("John_Novak");
    expect(men).not.toContain("John_Novakova");
  });
});

describe("agreement", () => {
  it.each<[CountryCode, Partial<NicknameRequest>, RegExp]>([
    ["pl", { first: "Zofia" }, /^Zofia_\w*(?:[^i]|[^k]i)$/],
    ["pl", { first: "Piotr" }, /_(?!\w*(?:ska|cka|dzka)$)/],
    ["ru", { first: "Olga" }, /_\w+(?:a|ya|ykh|ikh)$/],
    ["ru", { first: "Nikita" }, /_\w+(?:[^a]|[^vny]a)$/],
    ["ru", { first: "Lyubov" }, /_\w+(?:a|ya|ykh|ikh)$/],
    ["ru", { first: "Dima" }, /_\w+[^a]$/],
    ["ru", { first: "Zlatoslava" }, /_\w+(?:a|ya|ykh|ikh)$/],
    ["ru", { first: "Svyatobor" }, /_\w+[^a]$/],
    ["ru", { first: "Jennifer" }, /_\w+(?:a|ya|ykh|ikh)$/],
    ["cz", { first: "Lenka" }, /_\w+[aiu]$/],
    ["gr", { first: "Eleni" }, /_\w+[aiu]$/],
    ["gr", { first: "Nikos" }, /_\w+(?:s|ou)$/],
    ["ru", { first: "Olga", sex: "male" }, /_\w+[^a]$/],
    ["us", { first: "Mary", mode: "mixed" }, /_(?!\w*(?:opoulos|[^aeiou]sky|[tn]ski)$)/],
  ])("in %s, for %o, the last name follows", (country, fixed, expected) => {
    const all = everything({ country, ...fixed });
    expect(all.length).toBeGreaterThan(50);
    expect(all.filter((nickname) => !expected.test(nickname))).toEqual([]);
  });

  it.each<[CountryCode, Partial<NicknameRequest>, Sex]>([
    ["ru", { last: "Ivanova" }, "female"],
    ["ru", { last: "Ivanov" }, "male"],
    ["ru", { last: "Sharapova" }, "female"],
    ["ru", { last: "Chertanovsky" }, "male"],
    ["us", { last: "Ivanova" }, "female"],
    ["us", { last: "Papadopoulos" }, "male"],
    ["ru", { last: "Kowalska" }, "female"],
    ["cz", { last: "Novak" }, "male"],
    ["cz", { last: "Hrbkova" }, "female"],
    ["gr", { last: "Papadopoulou" }, "female"],
    ["in", { last: "Kaur" }, "female"],
    ["ru", { last: "Ivanova", sex: "male" }, "male"],
    ["ru", { last: "Ivanova", first: undefined, sex: "female" }, "female"],
  ])("in %s, for %o, the first name is %s", (country, fixed, sex) => {
    const all = everything({ country, ...fixed });
    const expected = listsOf(country)[sex].filter((name) => name !== fixed.last);
    expect(all.sort()).toEqual(expected.map((first) => `${first}_${fixed.last}`).sort());
  });

  it.each<[CountryCode, string]>([
    ["ua", "Shevchenko"],
    ["us", "Smith"],
    ["us", "Novak"],
    ["ru", "Sedykh"],
    ["ru", "Martin"],
    ["cz", "Vodicka"],
  ])("in %s, with %s, first names are of both sexes", (country, last) => {
    const all = everything({ country, last });
    const { male, female } = listsOf(country);
    expect(all).toHaveLength(new Set([...male, ...female].filter((name) => name !== last)).size);
  });

  it("does not guess about a short name that men and women share", () => {
    const all = everything({ country: "ru", first: "Sasha" });
    expect(all).toEqual(expect.arrayContaining(["Sasha_Ivanov", "Sasha_Ivanova"]));
  });
});

describe("an exhausted pool has exactly the names that a search through the lists finds", () => {
  const bounds = fc.tuple(fc.integer({ min: 3, max: 24 }), fc.integer({ min: 0, max: 1 }));

  it("for real names of any country, sex and tight bounds", () => {
    fc.assert(
      fc.property(country(), sex(), bounds, (code, wanted, [minLength, width]) => {
        const request = { country: code, sex: wanted, minLength, maxLength: minLength + width };
        expect(everything(request).sort()).toEqual(bruteForce(request).sort());
      }),
      { numRuns: 25 },
    );
  });

  it("for a fixed first name", () => {
    const expected = listsOf("fr").last.filter((last) => last.length === 6 && last !== "Robert");
    expect(everything({ country: "fr", first: "Robert", minLength: 13, maxLength: 13 }).sort()).toEqual(
      expected.map((last) => `Robert_${last}`).sort(),
    );
  });

  it("and nothing, without a fault, if the lists have nothing", () => {
    for (const mode of ["real", "mixed", "invented"] as const) {
      expect(generate({ country: "us", mode, minLength: 3, maxLength: 4 })).toEqual([]);
    }
    expect(generate({ country: "cn", first: "Li", minLength: 24, maxLength: 24 })).toEqual([]);
    expect(findImpossible(asked({ country: "cn", first: "Li", minLength: 24, maxLength: 24 }))).toEqual([]);
  });
});

describe("variety", () => {
  it("repeats no name within ten nicknames", () => {
    for (let i = 0; i < 40; i++) {
      const nicknames = generate({ country: "us", seed: `variety ${i}` });
      const parts = nicknames.flatMap((nickname) => nickname.split("_"));
      expect(new Set(parts).size).toBeGreaterThanOrEqual(19);
    }
  });

  it("has both sexes by default, and another answer each time", () => {
    const { male, female } = listsOf("de");
    const firsts = generate({ country: "de", count: 40 }).map((nickname) => nickname.split("_")[0] ?? "");
    expect(firsts.filter((name) => male.includes(name)).length).toBeGreaterThan(4);
    expect(firsts.filter((name) => female.includes(name)).length).toBeGreaterThan(4);
    expect(generate({ country: "de" })).not.toEqual(generate({ country: "de" }));
  });
});

describe("a request that no list could satisfy", () => {
  it.each<[string, Partial<NicknameRequest>, string[], RegExp]>([
    ["min_len > max_len", { minLength: 12, maxLength: 11 }, ["min_len"], /12.*more than.*11/],
    [
      "a first name too long",
      { first: "Bartholomew", maxLength: 13 },
      ["first"],
      /by 1: .*“Bartholomew” makes 14.*13/,
    ],
    ["a last name too long", { last: "Featherstonehaugh", maxLength: 19 }, ["last"], /20.*19/],
    ["the same name twice", { first: "Thomas", last: "Thomas" }, ["last"], /same/],
    ["the same in another case", { first: "DeLuca", last: "Deluca" }, ["last"], /same/],
    ["two parts too long", { first: "Maximilian", last: "Schwarzenegger" }, ["last"], /25.*20/],
    [
      "two parts too short",
      { first: "Bo", last: "Li", minLength: 6 },
      ["last"],
      /too short by 1: “Bo_Li” has 5.*6/,
    ],
    ["several", { first: "Bo", last: "Bo", minLength: 9, maxLength: 4 }, ["min_len", "last", "last"], /same/],
  ])("has its reason: %s", (_, part, params, message) => {
    const found = findImpossible(asked({ country: "us", ...part }));
    expect(found.map(({ param }) => param)).toEqual(params);
    expect(found.map((each) => translateText(each.said)).join(" ")).toMatch(message);
    expect(generate({ country: "us", ...part })).toEqual([]);
  });

  it.each<[string, Partial<NicknameRequest>]>([
    ["a first name that leaves two letters", { first: "Bartholomew", maxLength: 14 }],
    ["a last name that leaves two letters", { last: "Featherstonehaugh", maxLength: 20 }],
    ["two parts at the upper bound", { first: "Bartholomew", last: "Thompson" }],
    ["two parts at the lower bound", { first: "Bo", last: "Li", minLength: 5, maxLength: 5 }],
    ["bounds below every name", { minLength: 3, maxLength: 3 }],
    ["a short part and a long nickname", { first: "Bo", minLength: 24, maxLength: 24 }],
  ])("is not %s", (_, part) => {
    expect(findImpossible(asked({ country: "us", ...part }))).toEqual([]);
  });
});

function country() {
  return fc.constantFrom(...countryCodes);
}

function sex() {
  return fc.constantFrom("any", "male", "female");
}

function requests() {
  const mode = fc.constantFrom("real", "mixed", "invented");
  const length = fc.integer({ min: 3, max: 24 });
  const bounds = { one: length, other: length, count: fc.integer({ min: 1, max: 100 }) };
  return fc
    .record({ country: country(), mode, sex: sex(), ...bounds })
    .map(({ one, other, ...rest }): NicknameRequest => {
      return { ...rest, minLength: Math.min(one, other), maxLength: Math.max(one, other) };
    });
}

function asked(request: Partial<NicknameRequest> & { country: CountryCode }): NicknameRequest {
  return { mode: "real", sex: "any", minLength: 3, maxLength: 20, count: 10, ...request };
}

function generate(request: Partial<NicknameRequest> & { country: CountryCode }): string[] {
  return generateNicknames(asked(request));
}

function everything(request: Partial<NicknameRequest> & { country: CountryCode }): string[] {
  return generate({ maxLength: 24, count: 1_000_000, ...request });
}

function bruteForce(request: {
  country: CountryCode;
  sex: Sex | "any";
  minLength: number;
  maxLength: number;
}) {
  const { male, female, last, lastBySex = [] } = listsOf(request.country);
  const men = request.sex === "female" ? [] : join(male, [...last, ...lastBySex.map(([his]) => his)]);
  const women = request.sex === "male" ? [] : join(female, [...last, ...lastBySex.map(([, hers]) => hers)]);
  const fits = (name: string) => name.length >= request.minLength && name.length <= request.maxLength;
  return [...new Set([...men, ...women])].filter(fits);
}

function join(firsts: string[], lasts: string[]): string[] {
  return firsts.flatMap((first) => lasts.filter((last) => last !== first).map((last) => `${first}_${last}`));
}

/** What is wrong with a nickname by itself and as an answer to the request. */
function faultsOf(nickname: string, request: NicknameRequest): string[] {
  const [first = "", last = "", ...more] = nickname.split("_");
  const { minLength, maxLength } = request;
  const sexes: Sex[] = request.sex === "any" ? ["male", "female"] : [request.sex];
  const rules: [boolean, string][] = [
    [more.length === 0 && LEGAL_PART.test(first) && LEGAL_PART.test(last), "illegal"],
    [first.toLowerCase() !== last.toLowerCase(), "one name twice"],
    [nickname.length >= minLength && nickname.length <= maxLength, "out of bounds"],
    [sexes.some((each) => agrees(request, first, last, each)), "does not agree in sex"],
  ];
  return rules.filter(([kept]) => !kept).map(([, fault]) => `${nickname}: ${fault}`);
}

function agrees({ country: code, mode }: NicknameRequest, first: string, last: string, as: Sex): boolean {
  if (mode !== "invented" && !listsOf(code)[as].includes(first)) return false;
  if (mode === "mixed") return !formsOf[as === "male" ? "female" : "male"].has(last);
  return !WRONG_ENDING[code]?.[as].test(last);
}

function listsOf(code: CountryCode): Lists {
  return lists.get(code) ?? read(code);
}

function read(code: CountryCode): Lists {
  const file = path.join(import.meta.dirname, `../../src/nicknames/names/${code}.json`);
  return JSON.parse(readFileSync(file, "utf8"));
}
