import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inOneAlphabet } from "../../src/search/letters.ts";
import { fold, markedParts, nearParts } from "../../src/search/marks.ts";
import { normaliseName } from "../../src/search/normalise.ts";
import { demoNames } from "../helpers/demo-names.ts";
import { bracketed } from "../helpers/search.ts";

describe("markedParts", () => {
  it.each([
    ["Infernus", "infer", "[Infer]nus", "the beginning"],
    ["Desert Eagle", "eag", "Desert [Eag]le", "the beginning of a later word"],
    ["Desert Eagle", "sert", "De[sert] Eagle", "inside a word"],
    ["Desert Eagle", "eagle des", "[Des]ert [Eagle]", "words in another order"],
    ["Key card A", "a", "Key card [A]", "one letter, though it is inside a word before"],
    ["Cursed Horse", "sed horse", "Cur[sed] [Horse]", "a word inside and one whole"],
    ["Gun Gunner", "gunner gun", "Gun [Gunner]", "a word that begins another one, once"],
    ["Mama Mia", "ma mi", "[Ma]ma [Mi]a", "different words for different letters"],
    ["Mr. Whoopee", "mr whoo", "[Mr. Whoo]pee", "a full stop"],
    ["Чёрный пистолет", "черный", "[Чёрный] пистолет", "ё as е"],
    ["Йогурт", "иог", "Йогурт", "и, which is no й"],
    ["Ne\u0301ophyte", "neo", "[Ne\u0301o]phyte", "an accent that is a letter of its own"],
    ["Große Straße", "strasse", "Große [Straße]", "one letter that is two"],
    ["ﬁne ＦＵＬＬ", "full", "ﬁne [ＦＵＬＬ]", "wide letters"],
    ["Infer\u00adnus", "infern", "[Infer\u00adn]us", "a soft hyphen"],
    ["Інфернус", "iнфер", "[Інфер]нус", "a letter of other alphabets that looks the same"],
    ["a🚗b 🚗", "🚗", "a🚗b [🚗]", "signs of two code units"],
  ])("%s by %s: %s (%s)", (name, query, expected) => {
    expect(bracketed(markedParts(name, query))).toBe(expected);
  });

  it.each([
    ["Infernus", "xyz"],
    ["Infernus", ""],
    ["Ключ-карта", "a"],
    ["Infernus", "n"],
    ["", "a"],
  ])("marks nothing in %j by %j", (name, query) => {
    expect(markedParts(name, query)).toEqual([{ text: name, marked: false }]);
  });

  it("never changes a name, and marks something in every name by each of its words", () => {
    const names = demoNames();
    expect(names.length).toBeGreaterThan(400);
    for (const name of names) {
      for (const word of normaliseName(name).split(" ")) {
        const parts = markedParts(name, word);
        expect(parts.map(({ text }) => text).join("")).toBe(name);
        expect(bracketed(parts), `${name} by ${word}`).toContain("[");
      }
    }
  });

  it("gives any name back, whatever is typed", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }));
    fc.assert(
      fc.property(text, text, (name, query) => {
        const texts = markedParts(name, query).map((part) => part.text);
        expect(texts.join("")).toBe(name);
      }),
    );
  });
});

describe("nearParts", () => {
  it.each([
    ["Infernus", "infrnus", "[Inf]e[rnus]", "a letter left out"],
    ["Infernus", "inferxnus", "[Infernus]", "a letter too many"],
    ["Infernus", "imfernus", "[I]n[fernus]", "a wrong letter"],
    ["Infernus", "infrenus", "[Inf]er[nus]", "two letters swapped"],
    ["Infernus Deluxe", "infernsu", "[Infern]us Deluxe", "letters swapped at the end of a word"],
    ["Desert Eagle", "desrt eagle", "[Des]e[rt] [Eagle]", "an error in one of two words"],
    ["Combat Shotgun", "bat shtgun", "Combat [Sh]o[tgun]", "a word that is none here"],
    ["Золотой пистолет", "золотая пистолет", "[Золот]ой [пистолет]", "another gender"],
    ["NRG-500", "nrg500", "[NRG-500]", "words typed as one"],
    ["Key of the NRG-500", "nrg500", "Key of the [NRG-500]", "and later ones"],
    ["Sniper Rifle", "sni per", "[Sniper] Rifle", "a word typed as two"],
    ["Sniper Rifle", "sniperxrifle", "[Sniper] [Rifle]", "an error where a space belongs"],
  ])("marks what is where it was typed in %s by %s: %s (%s)", (name, query, expected) => {
    expect(bracketed(nearParts(name, query))).toBe(expected);
  });

  it.each([
    ["Infernus", "if", "too few letters"],
    ["Infernus", "rhino", "another word"],
    ["Gun", "gnu", "less than half of it"],
    ["Infernus", "ixfxrxus", "more errors than one in three letters"],
    ["Infernus", "x".repeat(200), "more than anybody types"],
    ["Infernus", "-", "no letters"],
  ])("marks nothing in %j by %j: %s", (name, query) => {
    expect(nearParts(name, query)).toEqual([{ text: name, marked: false }]);
  });

  it("can ask for all that was typed", () => {
    expect(bracketed(nearParts("Desert Eagle", "desrt xyzzy", { whole: true }))).toBe("Desert Eagle");
    expect(bracketed(nearParts("Desert Eagle", "desrt egle", { whole: true }))).toBe("[Des]e[rt] [E]a[gle]");
  });

  it.each([
    ["Бронежилет", "bronezhilet", "[Бронежилет]", "one letter that is two"],
    ["Щука речная", "shchuka", "[Щука] речная", "or four"],
    ["Чёрный ящик", "chernyj yashik", "[Чёрны]й [ящик]", "several words"],
    ["Соль морская", "sol", "[Соль] морская", "and at the end"],
    ["Infernus", "инфернус", "[Infernus]", "a Latin name in Cyrillic"],
    ["Sharpshooter", "шарп", "[Sharp]shooter", "two letters that are one"],
    ["Реликвия Лит K3", "лит к3", "Реликвия [Лит K3]", "a short word"],
  ])("marks by sound in %s by %s: %s (%s)", (name, query, expected) => {
    expect(bracketed(nearParts(name, query, { bySound: true }))).toBe(expected);
  });
});

describe("fold", () => {
  it("compares European names as the search does", () => {
    for (const name of demoNames()) expect(inOneAlphabet(fold(name)), name).toBe(normaliseName(name));
    const letter = fc.constantFrom(
      ..."aceoxyßæøłđéñüÅабвгдеёйЙіїґАЁαςΣ각닭ㄱㅘأـיםी٣ 0-'._/\u0301\u0308\u064e",
    );
    fc.assert(
      fc.property(fc.string({ unit: letter, maxLength: 14 }), (text) => {
        expect(inOneAlphabet(fold(text))).toBe(normaliseName(text));
      }),
    );
  });
});
