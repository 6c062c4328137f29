import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normaliseName } from "../../src/search/normalise.ts";

/** Letters and marks of every kind that the rules speak of, so that random text of them is full of cases. */
const TOUCHY = [
  ..."aceopxyhkmtbiljnéæœßøłđðþıŋħŧĸſﬁＡﾊ½²",
  ..."авсенорхутмкиіїйёщґєАВЙЁѕјԛԝ",
  ..."αβεηικμνορτυχςσΣλΐ",
  ..."ピがァ漢한ु🚗❤각닭ㄱㄳㅘ\u1100\u1161\u11a8\u1160٣۳३",
  ..."ابأؤئةۀکیےـ\u064e\u0654\u0670שׁםײ\u05b8\u05be",
  ..." -'’ʼ.\u0300\u0306\u0308\u0323\u0345\u0483\u3099\u20e3\ufe0f\u00ad\u200b\u200d\u2060\ufeff\u061c\n\u00a0",
];
const touchyText = fc.string({ unit: fc.constantFrom(...TOUCHY), maxLength: 12 });
const anyText = fc.oneof(touchyText, fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }));

describe("normaliseName", () => {
  it.each([
    ["  NRG-500 ", "nrg 500"],
    ["Чёрный  Пистолет", "черный пистолет"],
    ["Chemise de Néophyte", "chemise de neophyte"],
    ['Carl "CJ" Johnson', "carl cj johnson"],
    ["%_\\'<+/", ""],
    ["ﾋﾟｽﾄﾙ", "ピストル"],
    ["🚗 car", "🚗 car"],
    ["❤️ 1️⃣", "❤ 1"],
    ["İstanbul", "istanbul"],
    ["Infer\u00adnus \u200b", "infernus"],
  ])("%s becomes %s", (text, expected) => {
    expect(normaliseName(text)).toBe(expected);
  });

  it.each([
    ["Ægis Œuvre", "aegis oeuvre"],
    ["Große STRAẞE", "grosse strasse"],
    ["Łódź", "lodz"],
    ["Đorđe Þór ısı", "dorde thor isi"],
  ])("takes ligatures and crossed letters apart: %s", (text, expected) => {
    expect(normaliseName(text)).toBe(expected);
  });

  it.each([
    ["닭고기", "ㄷㅏㄹㄱㄱㅗㄱㅣ"],
    ["ㄷㅏㄹㄱ", "ㄷㅏㄹㄱ"],
    ["과 ㅘ ﾡ", "ㄱㅗㅏ ㅗㅏ ㄱ"],
  ])("takes Korean syllables apart as they are typed: %s", (text, expected) => {
    expect(normaliseName(text)).toBe(expected);
  });

  it.each([
    ["كِتَابٌ کتـاب", "كتاب كتاب"],
    ["أإآٱ ؤئ ىیے ةۀہھ", "اااا وي ييي هههه"],
    ["שָׁלוֹם־עולם", "שלומ עולמ"],
    ["٠٩ ۰۹ ०९ ๐๙ ０９ \u{1d7d8}\u{11450}", "09 09 09 09 09 00"],
  ])("takes letters and digits of other keyboards for the same: %s", (text, expected) => {
    expect(normaliseName(text)).toBe(expected);
  });

  it.each([
    ["Звeздная", "звездная", "a Latin e"],
    ["Infеrnus", "infernus", "a Cyrillic е"],
    ["Tοmmy Gun", "tommy gun", "a Greek ο"],
    ["Xвост", "хвост", "look-alikes only, most of them Cyrillic"],
    ["Хbow", "xbow", "w has no look-alike in Russian"],
    ["OО", "оо", "as many of one as of the other"],
    ["USBкабель", "usbкабель", "really of two alphabets"],
    ["cop сор", "cop сор", "words of nothing but look-alikes"],
  ])("reads look-alikes in %s as %s: %s", (text, expected) => {
    expect(normaliseName(text)).toBe(expected);
  });

  it.each([
    ["神里綾華", "神里绫华"],
    ["龍劍", "龙剑"],
  ])("reads traditional characters in %s as simplified ones", (text, expected) => {
    expect(normaliseName(text)).toBe(expected);
  });

  it.each(["об'єкт", "об’єкт", "обʼєкт", "об`єкт"])(
    "takes any apostrophe for the end of a word: %s",
    (text) => {
      expect(normaliseName(text)).toBe("об єкт");
    },
  );

  it("is idempotent", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const once = normaliseName(text);
        expect(normaliseName(once)).toBe(once);
      }),
      { numRuns: 2000 },
    );
  });

  it("is the same for composed and decomposed text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(normaliseName(text.normalize("NFD"))).toBe(normaliseName(text.normalize("NFC")));
      }),
    );
  });
});
