import { describe, expect, it } from "vitest";
import { consonantKeys, heardConsonants, vowelsApart } from "../../src/search/consonants.ts";
import { indexOf } from "../helpers/search.ts";

describe("an English word in Russian letters", () => {
  it.each([
    ["knife", "ниф"],
    ["kitchen", "кичен"],
    ["nether", "незер"],
    ["badge", "бадж"],
    ["twinblade", "твинблейд"],
    ["phoenix", "феникс"],
    ["onslaught", "онслот"],
    ["nightfall", "найтфолл"],
    ["guard", "гард"],
    ["waistband", "уайстбэнд"],
    ["elusion", "элушен"],
    ["healing", "гилинг"],
    ["wrath", "рас"],
    ["chrome", "кром"],
    ["princess", "принцесс"],
  ])("%s has the consonants and the vowels of %s", (english, heard) => {
    expect(heardConsonants(heard).filter((key) => consonantKeys(english).includes(key))).toHaveLength(1);
    expect(vowelsApart(heard, english)).toBe(0);
  });

  it.each(["меч", "mk3", "", "aeiou"])("%j has no key as a Latin word", (word) => {
    expect(consonantKeys(word)).toEqual([]);
  });

  it.each(["sword", "к3", "", "ая"])("%j has no key as a heard word", (word) => {
    expect(heardConsonants(word)).toEqual([]);
  });
});

describe("names that are typed as they sound", () => {
  const names = "Thunder Spike,Crimson Sun,Badge of Justice,Twinblade of the Phoenix,Stealthblade,Меч".split(
    ",",
  );
  const find = (query: string) =>
    indexOf(names)
      .search(query, { limit: 10, offset: 0 })
      .hits.map(({ record, match, without = [] }) => [record.name, match, ...without]);

  it.each([
    ["сандер спайк", "Thunder Spike"],
    ["кримсон сан", "Crimson Sun"],
    ["бадж оф джастис", "Badge of Justice"],
    ["твинблейд оф зе феникс", "Twinblade of the Phoenix"],
  ])("%s is %s", (query, name) => {
    expect(find(query)).toEqual([[name, "transliteration"]]);
  });

  it("are found by most of their words, too", () => {
    expect(find("феникс кинжал")).toEqual([["Twinblade of the Phoenix", "partial", "кинжал"]]);
    expect(find("спайк кинжал")).toEqual([["Thunder Spike", "partial", "кинжал"]]);
    expect(find("сандер спайк кинжал")).toEqual([["Thunder Spike", "partial", "кинжал"]]);
  });

  it("are not found by consonants alone", () => {
    for (const query of ["стулсблуд", "сн", "спк"]) expect(find(query), query).toEqual([]);
  });

  it("come after a typing error in the reader's own letters", () => {
    expect(indexOf(["Винтовка", "Ventvaka"]).ids("винтвока", 10)).toEqual(["0"]);
    expect(indexOf(["Ventvaka"]).ids("винтвока", 10)).toEqual(["0"]);
  });
});

describe("numbers", () => {
  it.each([
    ["scroll of spirit 6", "Scroll of Spirit VI"],
    ["5 of beasts", "Five of Beasts"],
    ["level ii", "Level 2"],
  ])("are found written otherwise: %s", (query, name) => {
    const names = ["Scroll of Spirit VI", "Scroll of Spirit V", "Five of Beasts", "Level 2", "Level 20"];
    const [first] = indexOf(names).search(query, { limit: 10, offset: 0 }).hits;
    expect(first?.record.name).toBe(name);
  });

  it("are not what one letter means", () => {
    expect(indexOf(["Level 5", "Vial"]).ids("v", 10)).toEqual(["1"]);
  });
});
