import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { meantBy, namesToShow } from "../../src/search/shown-names.ts";
import { localName } from "../../src/words/i18n/local-name.ts";
import { bracketed } from "../helpers/search.ts";

const INFERNUS = { name: "Infernus", names: { en: "Infernus", ru: "Инфернус" } };
const TANK = { name: "Rhino", names: { en: "Rhino", ru: "Рино (танк)", de: "Nashorn" } };

/** The names that are shown, with brackets round what is marked and the language before each. */
function shown(hit: Parameters<typeof namesToShow>[0], query: string, language = "en"): string[] {
  return namesToShow(hit, query, language).map(({ lang, parts }) => `${lang ?? "?"}: ${bracketed(parts)}`);
}

describe("namesToShow", () => {
  it("adds the name of another language that shows why this was found", () => {
    expect(shown({ ...TANK, match: "prefix" }, "nash", "ru")).toEqual([
      "ru: Рино (танк)",
      "en: Rhino",
      "de: [Nash]orn",
    ]);
    expect(shown({ ...TANK, match: "word" }, "танк")).toEqual(["en: Rhino", "ru: Рино ([танк])"]);
  });

  it("adds nothing where no name shows it", () => {
    expect(shown({ ...INFERNUS, match: "exact" }, "411")).toEqual(["en: Infernus"]);
    expect(shown({ ...INFERNUS, match: "fuzzy" }, "xyzzy")).toEqual(["en: Infernus"]);
  });

  it("does not know the language of a name that is listed under none", () => {
    expect(shown({ name: "Quux", match: "prefix" }, "qu", "ru")).toEqual(["?: [Qu]ux"]);
  });

  it("marks the words of two layouts, punctuation beside them or not", () => {
    const key = { name: "Infernus key", names: { en: "Infernus key", ru: "Ключ от Infernus" } };
    expect(shown({ ...key, match: "layout" }, "rk.x, infernus", "ru")).toEqual([
      "ru: [Ключ] от [Infernus]",
      "en: [Infernus] key",
    ]);
    expect(shown({ ...key, match: "layout" }, "(шт infernus)", "en")).toEqual(["en: [Infernus] key"]);
  });

  it("marks what sounds like what was typed in another alphabet, and not in the same", () => {
    const rocket = { name: "Rocket", names: { en: "Rocket", ru: "Ракета" }, match: "transliteration" };
    expect(shown(rocket, "raketa")).toEqual(["en: Rocket", "ru: [Ракета]"]);
    expect(shown({ ...INFERNUS, match: "transliteration" }, "infernuss")).toEqual(["en: [Infernus]"]);
    const rifle = { name: "Sniper Rifle", names: { en: "Sniper Rifle", ru: "Снайперская винтовка" } };
    expect(shown({ ...rifle, match: "transliteration" }, "снипер рифл")).toEqual(["en: [Sniper Rifl]e"]);
  });

  it("chooses the name as the rest of the site does", () => {
    const locale = fc.constantFrom(..."en ru ru-RU pt pt-BR pt-PT de zh-Hant-TW zh-Hans".split(" "));
    const names = fc.dictionary(locale, fc.constantFrom("A", "B", "C"));
    fc.assert(
      fc.property(names, fc.constantFrom("A", "B", "D"), locale, (names, name, language) => {
        const [first, second] = namesToShow({ name, names, match: "prefix" }, "zzz", language);
        const local = localName({ name, names }, language);
        expect([first.text, first.lang, second?.text]).toEqual([local.name, local.lang, local.other?.name]);
      }),
    );
  });
});

describe("meantBy", () => {
  const as = (match: string) => ({ ...INFERNUS, match });

  it("is missing if anything matched as typed, or nothing at all", () => {
    for (const match of ["exact", "prefix", "word", "substring"]) {
      expect(meantBy([as(match), as("fuzzy")], "infernus")).toBeUndefined();
    }
    expect(meantBy([], "infernus")).toBeUndefined();
    expect(meantBy([as("partial")], "infernus")).toBeUndefined();
  });

  it("names the keys on the other layout, as far as they were typed", () => {
    expect(meantBy([as("layout")], "byath")).toEqual({ lang: "ru", text: "инфер" });
    expect(meantBy([as("layout")], "Штаук")).toEqual({ lang: "en", text: "Infer" });
  });

  it("names the nearest name of the alphabet that was typed in", () => {
    expect(meantBy([as("fuzzy")], "infrnus")?.text).toBe("Infernus");
    expect(meantBy([as("partial"), as("fuzzy")], "infrnus")?.text).toBe("Infernus");
    expect(meantBy([as("fuzzy")], "инфрнус")?.text).toBe("Инфернус");
    const other = { name: "Inferior Knife", match: "fuzzy" };
    expect(meantBy([other, as("fuzzy")], "infernuss")?.text).toBe("Infernus");
  });

  it("names the name of the other alphabet where that was meant", () => {
    const sword = { name: "Меч", names: { ru: "Меч" }, match: "transliteration" };
    expect(meantBy([sword], "mech")).toEqual({ lang: "ru", text: "Меч" });
  });
});
