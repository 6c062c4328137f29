import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CountryCode, countryCodes } from "../../src/nicknames/countries.ts";
import { normaliseFixedPart } from "../../src/nicknames/fixed-part.ts";
import { isLegalPart } from "../../src/nicknames/legal.ts";
import { LANGUAGES } from "../../src/words/i18n/languages.ts";
import { translateText } from "../../src/words/i18n/lazy-text.ts";
import { plainSpaces } from "../helpers/html.ts";

describe("a fixed part in Latin letters", () => {
  it.each([
    ["john", "John"],
    ["JOHN", "John"],
    ["jOHN", "John"],
    ["McDonald", "McDonald"],
    ["mcDonald", "McDonald"],
    ["mcdonald", "Mcdonald"],
    ["MCDONALD", "Mcdonald"],
    ["OConnor", "OConnor"],
    ["deLuca", "DeLuca"],
    ["FitzGerald", "FitzGerald"],
    ["VanDerBerg", "Vanderberg"],
    ["JoAnn", "Joann"],
    ["  Anna ", "Anna"],
    ["Li", "Li"],
  ])("%s becomes %s", (typed, expected) => {
    expect(normaliseFixedPart(typed, "us")).toEqual({ ok: true, name: expected });
  });

  it.each<[string, CountryCode, string]>([
    ["Łukasz", "pl", "Lukasz"],
    ["Zażółć", "pl", "Zazolc"],
    ["Müller", "de", "Mueller"],
    ["Übel", "de", "Uebel"],
    ["Müller", "us", "Muller"],
    ["Ümit", "tr", "Umit"],
    ["İbrahim", "tr", "Ibrahim"],
    ["Işık", "tr", "Isik"],
    ["Weiß", "de", "Weiss"],
    ["Đoković", "rs", "Djokovic"],
    ["Đặng", "vn", "Dang"],
    ["Søren", "dk", "Soren"],
    ["Åse", "no", "Ase"],
    ["Zoë", "nl", "Zoe"],
    ["José", "mx", "Jose"],
    ["João", "br", "Joao"],
    ["Əli", "us", "Ali"],
    ["Zoe\u0308", "nl", "Zoe"],
    ["ﬁona", "gb", "Fiona"],
    ["𝓙𝓸𝓱𝓷", "us", "John"],
  ])("%s (%s) loses its marks: %s", (typed, country, expected) => {
    expect(normaliseFixedPart(typed, country)).toEqual({ ok: true, name: expected });
  });
});

describe("a fixed part in other letters", () => {
  it.each<[string, CountryCode, string]>([
    ["Иван", "ru", "Ivan"],
    ["ИВАН", "us", "Ivan"],
    ["Щукин", "ru", "Shchukin"],
    ["Гайдамака", "ru", "Gaydamaka"],
    ["Гайдамака", "ua", "Haidamaka"],
    ["Юрий", "ru", "Yuri"],
    ["Дмитрий", "ru", "Dmitry"],
    ["Сергей", "ru", "Sergey"],
    ["Мария", "ru", "Maria"],
    ["Ольга", "ru", "Olga"],
    ["Соловьёв", "ru", "Solovyov"],
    ["Соловьев", "ru", "Solovyev"],
    ["Горбачёв", "ru", "Gorbachev"],
    ["Достоевский", "ru", "Dostoevsky"],
    ["Толстая", "ru", "Tolstaya"],
    ["Зеленський", "ua", "Zelensky"],
    ["Володимир", "ua", "Volodymyr"],
    ["Мар'яна", "ua", "Mariana"],
    ["Мар’яна", "ua", "Mariana"],
    ["Їжак", "us", "Yizhak"],
    ["Згурська", "ua", "Zghurska"],
    ["Щърбанов", "bg", "Shtarbanov"],
    ["Ђорђе", "us", "Djordje"],
    ["Нұрсұлтан", "kz", "Nursultan"],
    ["Γιώργος", "gr", "Giorgos"],
    ["ΓΙΩΡΓΟΣ", "gr", "Giorgos"],
    ["Ευάγγελος", "gr", "Evangelos"],
    ["Ευτυχία", "gr", "Eftychia"],
    ["Παπαδοπούλου", "us", "Papadopoulou"],
    ["Μπάκας", "gr", "Bakas"],
    ["გიორგი", "ge", "Giorgi"],
    ["შოთა", "ge", "Shota"],
    ["ღვინიაშვილი", "ge", "Ghviniashvili"],
    ["Հայկ", "am", "Hayk"],
    ["Երվանդ", "am", "Yervand"],
    ["Հարություն", "am", "Harutyun"],
    ["Հովհաննիսյան", "am", "Hovhannisyan"],
    ["李", "cn", "Li"],
    ["小龙", "cn", "Xiaolong"],
    ["欧阳", "cn", "Ouyang"],
    ["田中", "jp", "Tanaka"],
    ["佐々木", "jp", "Sasaki"],
    ["ひろし", "jp", "Hiroshi"],
    ["しょうた", "jp", "Shota"],
    ["はっとり", "jp", "Hattori"],
    ["いのうえ", "jp", "Inoue"],
    ["サトウ", "jp", "Sato"],
    ["りょう", "jp", "Ryo"],
    ["김", "kr", "Kim"],
    ["민준", "kr", "Minjun"],
    ["नरेंद्र", "in", "Narendra"],
    ["राहुल", "in", "Rahul"],
    ["प्रिया", "in", "Priya"],
  ])("%s (%s) is read as %s", (typed, country, expected) => {
    expect(normaliseFixedPart(typed, country)).toEqual({ ok: true, name: expected });
  });
});

describe("an invalid fixed part", () => {
  const reasonFor = (typed: string, language = "en") => {
    const part = normaliseFixedPart(typed, "us");
    return part.ok ? undefined : translateText(part.reason, language);
  };

  it.each([
    ["J0hn", "no digits (0)"],
    ["J0hn5_0", "no digits (0 5)"],
    ["John٣", "no digits (\u2068٣\u2069)"],
    ["John_Smith", "adds the underscore"],
    ["Mary Ann", "no spaces"],
    ["Mary\u00A0Ann", "no spaces"],
    ["O'Connor", "no apostrophes; type OConnor"],
    ["o’neil", "no apostrophes; type Oneil"],
    ["O'Neil", "no apostrophes; type ONeil"],
    ["O'N3il", "no apostrophes"],
    ["Anna-Maria", "no hyphens; type Annamaria"],
    ["John😀", "no other characters (😀)"],
    ["<b>", "no other characters (< >)"],
    ["Jo\u0000hn", "no control or special characters"],
    ["Jo\ud800hn", "no control or special characters"],
    ["Jo\u200Bhn", "no control or special characters"],
    ["J", "is too short: “J” needs at least 2 letters"],
    ["Abcdefghijklmnopqrstu", "too long by 1: “Abcdefghijklmnopqrstu” has 21 letters, and the limit is 20"],
    ["Щщщщщщ", "too long by 4: “Shchshchshchshchshchshch” has 24 letters"],
    ["Ьь", "can’t be converted to Latin letters"],
    ["\u0301", "can’t be converted to Latin letters"],
  ])("is refused: %j: %s", (typed, reason) => {
    expect(reasonFor(typed)).toContain(reason);
  });

  it("is refused in the reader's language", () => {
    expect(reasonFor("R2D2", "ru")).toBe("можно использовать только буквы, без цифр (2)");
    expect(plainSpaces(reasonFor("Щщщщщщ", "ru") ?? "")).toContain("букв 24, лишних 4, предел — 20");
  });

  it("has its letters counted after the transliteration", () => {
    expect(normaliseFixedPart("Щ", "ru")).toEqual({ ok: true, name: "Shch" });
    expect(normaliseFixedPart("Abcdefghijklmnopqrst", "us").ok).toBe(true);
  });
});
it("makes a legal part or a refusal of any text, and the same part again of a part", () => {
  const country = fc.constantFrom(...countryCodes);
  const name = fc.constantFrom(
    ..."Юрій Ευγένιος Ղազարյան ჭავჭავაძე 박지성 しゃちょう नरेंद्र Þórður VanDyke".split(" "),
  );
  const text = fc.oneof(name, fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }));
  fc.assert(
    fc.property(text, country, (typed, code) => {
      const part = normaliseFixedPart(typed, code);
      if (!part.ok) {
        for (const language of LANGUAGES)
          expect(translateText(part.reason, language)).toMatch(/^[\p{L}«“].*[\p{L}\d)]$/su);
        return;
      }
      expect(isLegalPart(part.name)).toBe(true);
      expect(part.name.length).toBeLessThanOrEqual(20);
      expect(normaliseFixedPart(part.name, code)).toEqual(part);
    }),
    { numRuns: 200 },
  );
});
