import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inOneAlphabet } from "../../src/search/letters.ts";
import { fold, markedParts, type Part } from "../../src/search/marks.ts";
import { normaliseName } from "../../src/search/normalise.ts";
import { demoNames } from "../helpers/demo-names.ts";

/** A marked name with brackets round what is marked. */
function bracketed(parts: Part[]): string {
  return parts.map(({ text, marked }) => (marked ? `[${text}]` : text)).join("");
}

describe("markedParts", () => {
  it.each([
    ["Infernus", "infer", "[Infer]nus", "the beginning"],
    ["Infernus", "INFERNUS", "[Infernus]", "all of it"],
    ["Desert Eagle", "eag", "Desert [Eag]le", "the beginning of a later word"],
    ["Desert Eagle", "sert", "De[sert] Eagle", "inside a word"],
    ["Desert Eagle", "eagle des", "[Des]ert [Eagle]", "words in another order"],
    ["Key card A", "a", "Key card [A]", "one letter, though it is inside a word before"],
    ["Mirage Morgaine", "mirage m", "[Mirage M]orgaine", "the beginning, over two words"],
    ["Cursed Horse", "sed horse", "Cur[sed] [Horse]", "a word inside and one whole"],
    ["Gun Gunner", "gunner gun", "Gun [Gunner]", "a word that begins another one, once"],
    ["Mama Mia", "ma mi", "[Ma]ma [Mi]a", "different words for different letters"],
    ["NRG-500", "nrg 500", "[NRG-500]", "punctuation between words"],
    ["Mr. Whoopee", "mr whoo", "[Mr. Whoo]pee", "a full stop"],
    ["Чёрный пистолет", "черный", "[Чёрный] пистолет", "ё as е"],
    ["Черный пистолет", "чЁрн", "[Черн]ый пистолет", "е as ё"],
    ["Йогурт", "йог", "[Йог]урт", "й, which is no и"],
    ["Йогурт", "иог", "Йогурт", "и, which is no й"],
    ["Chemise de Néophyte", "neoph", "Chemise de [Néoph]yte", "an accent"],
    ["Ne\u0301ophyte", "neo", "[Ne\u0301o]phyte", "an accent that is a letter of its own"],
    ["Große Straße", "strasse", "Große [Straße]", "one letter that is two"],
    ["Große Straße", "stras", "Große [Straß]e", "half of such a letter"],
    ["ﬁne ＦＵＬＬ", "full", "ﬁne [ＦＵＬＬ]", "wide letters"],
    ["Infer\u00adnus", "infern", "[Infer\u00adn]us", "a soft hyphen"],
    ["Інфернус", "iнфер", "[Інфер]нус", "a letter of other alphabets that looks the same"],
    ["漢字テスト", "字", "漢[字]テスト", "other scripts"],
    ["장바구니", "장박", "[장바구]니", "a syllable of which a part is typed so far"],
    ["كِتَابٌ", "كتا", "[كِتَا]بٌ", "vowel marks, which belong to their letters"],
    ["كـتـاب", "كت", "[كـت]ـاب", "a widened word"],
    ["بازی ۱۲", "12", "بازی [۱۲]", "other digits"],
    ["a🚗b 🚗", "🚗", "a🚗b [🚗]", "signs of two code units"],
  ])("%s by %s: %s (%s)", (name, query, expected) => {
    expect(bracketed(markedParts(name, query))).toBe(expected);
  });

  it.each([
    ["Infernus", "xyz"],
    ["Infernus", "infer xyz"],
    ["Infernus", ""],
    ["Infernus", "-"],
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
        expect(
          parts.some(({ marked }) => marked),
          `${name} by ${word}`,
        ).toBe(true);
      }
    }
  });

  it("gives any name back, whatever is typed", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }));
    fc.assert(
      fc.property(text, text, (name, query) => {
        expect(
          markedParts(name, query)
            .map((part) => part.text)
            .join(""),
        ).toBe(name);
      }),
    );
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
