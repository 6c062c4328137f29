import { describe, expect, it } from "vitest";
import { createDraw } from "../../src/nicknames/random.ts";
import { indexOf, recordOf } from "../helpers/search.ts";

const index = indexOf(
  recordsOf([
    ["411", { en: "Infernus", ru: "Инфернус" }],
    ["412", { en: "Infernus Deluxe" }],
    ["34", { en: "Sniper Rifle", ru: "Снайперская винтовка" }],
    ["22", { en: "Pistol", ru: "Пистолет" }],
    ["23", { en: "Golden Pistol", ru: "Золотой пистолет" }],
    ["45", { en: "Kevlar", ru: "Бронежилет" }],
    ["46", { en: "Parachute", ru: "Парашют" }],
    ["8", { en: "Sword", ru: "Меч" }],
    ["522", { en: "NRG-500" }],
    ["ak", { en: "AK-47", ru: "АК-47" }],
    ["shirt", { en: "Neophyte's Shirt", fr: "Chemise de néophyte" }],
    ["black", { en: "Black Crate", ru: "Чёрный ящик" }],
    ["star", { ru: "Звёздная пыль", de: "Sternenstraße" }],
    ["jeep", { en: "Jeep", ru: "Джип" }],
    ["river", { ru: "Щука речная" }],
    ["battery", { en: "Battery" }],
    ["sindorei", { ru: "Син'дорай" }],
    ["pass", { en: "Desert Road Pass", ru: "Пропуск дорожный городской" }],
    ["armour", { en: "Plate Armour" }],
    ["shelf", { en: "Jeep Shelf" }],
    ["k3", { en: "Lith K3", ru: "Реликвия Лит K3" }],
    ["r3", { en: "Lith R3", ru: "Реликвия Лит R3" }],
    ["mp5", { en: "MP5" }],
    ["helmet", { en: "Helmet", ja: "ヘルメット" }],
    ["４２", { en: "Answer" }],
    ["cursed", { en: "Cursed Horse" }],
    ["red", { en: "Rd Horse" }],
  ]),
);

describe("what was meant is found", () => {
  it.each([
    ["two letters swapped", "Infrenus", "411", "fuzzy"],
    ["a letter left out", "infrnus", "411", "fuzzy"],
    ["a wrong letter", "imfernus", "411", "fuzzy"],
    ["an error in each of two words", "snpier rfile", "34", "fuzzy"],
    ["two errors in a long word", "бронежлетт", "45", "fuzzy"],
    ["an error where a space belongs", "sniperxrifle", "34", "fuzzy"],
    ["an error in a name half typed without spaces", "пропускдорожынйгор", "pass", "fuzzy"],
    ["a space too many", "sni per rifle", "34", "substring"],
    ["a space in the wrong place", "snipe rrifle", "34", "fuzzy"],
    ["Russian on the Latin layout", "gbcnjktn", "22", "layout"],
    ["Russian letters on punctuation keys", "`ctulf", "none", undefined],
    ["ж and э of the Latin layout", ",hjyt;bktn", "45", "layout"],
    ["Latin on the Russian layout", "штауктгы", "411", "layout"],
    ["Russian on the Latin layout, with an error", "gbcnjkktn", "22", "layout"],
    ["Latin on the Russian layout, with an error", "штауктгг", "411", "layout"],
    ["the layout switched within a word", "пистjktn", "22", "layout"],
    ["an apostrophe left out on the wrong layout", "cbyljhfq", "sindorei", "layout"],
    ["the apostrophe of the Russian layout", "тущзрнеуэы ыршке", "shirt", "layout"],
    ["Russian in Latin letters", "pistolet", "22", "transliteration"],
    ["ж as zh", "bronezhilet", "45", "transliteration"],
    ["half a word in Latin letters", "bronej", "45", "transliteration"],
    ["several words in Latin letters", "chernyj yashchik", "black", "transliteration"],
    ["English in Cyrillic, by sound", "кевлар", "45", "transliteration"],
    ["English in Cyrillic, letter by letter", "снипер рифле", "34", "transliteration"],
    ["е for ё", "черный", "black", "prefix"],
    ["a Latin letter in a Cyrillic word", "Звeздная", "star", "prefix"],
    ["full-width letters", "Ｉｎｆｅｒｎｕｓ", "411", "exact"],
    ["punctuation left out", "nrg500", "522", "fuzzy"],
    ["a code in other alphabets", "мп5", "mp5", "transliteration"],
    ["a code in other alphabets without its dash", "нрг500", "522", "transliteration"],
    ["one letter in other alphabets among words", "лит к3", "k3", "transliteration"],
    ["hiragana for katakana", "へるめっと", "helmet", "exact"],
    ["an id that is full-width itself", "４２", "４２", "exact"],
    ["an apostrophe left out", "neophytes shirt", "shirt", "form"],
    ["all of it written together", "sniperrifle", "34", "fuzzy"],
    ["an English plural, though another name goes on with an s", "jeeps", "jeep", "form"],
    ["an English plural in -ies", "batteries", "battery", "form"],
    ["a Russian plural", "пистолеты", "22", "form"],
    ["initials", "drp", "pass", "fuzzy"],
    ["initials on another layout", "вкз", "pass", "fuzzy"],
    ["words that are in no name", "where is the infernus", "411", "exact"],
    ["a word that is in no name", "infernus keys", "411", "partial"],
    ["a word that is in no name, and an error", "the infrenus", "411", "fuzzy"],
    ["an ordinary word that is near a name", "bottle", "none", undefined],
    ["an American word for a British one", "armor", "armour", "form"],
    ["an adjective in another gender", "золотая пистолет", "23", "form"],
  ])("%s: %s", (_case, query, id, match) => {
    const [best] = index.search(query, { limit: 10, offset: 0 }).hits;
    expect(best && [best.record.id, best.match]).toEqual(id === "none" ? undefined : [id, match]);
  });
});

describe("forgiveness", () => {
  it("adds nothing to matches inside words", () => {
    const { hits, total } = index.search("sed horse", { limit: 10, offset: 0 });
    expect([hits.map(({ record, match }) => [record.id, match]), total]).toEqual([
      [["cursed", "substring"]],
      1,
    ]);
  });

  it("shows beginnings of names alone while a name is half typed, later words too when a word is whole", () => {
    expect(index.ids("gbcnj", 10)).toEqual(["22"]);
    expect(index.ids("gbcnjktn", 10)).toEqual(["22", "23"]);
  });

  it("takes letters for initials rather than for a name with an error", () => {
    expect(indexOf(["Hoxjo", "Hand of Justice Orb"]).ids("hojo", 10)).toEqual(["1"]);
    expect(indexOf(["Hoxjo", "Hand of Glory"]).ids("hojo", 10)).toEqual(["0"]);
  });

  it("takes words with errors in different names for parts of these names", () => {
    const { hits } = index.search("infrenus rfile", { limit: 10, offset: 0 });
    expect(hits).toMatchObject([{ match: "partial", without: ["infrenus"] }]);
  });

  it.each(["☃", "<script>", "\u0000", "%%%%", "۞۞", "a".repeat(200), "ъ".repeat(200)])(
    "makes nothing of %j",
    (query) => {
      expect(index.ids(query, 10)).toEqual([]);
    },
  );
});

describe("a letter struck again and again", () => {
  // Each name has a word of one letter, which sounds like any number of them.
  const names = indexOf(
    recordsOf([
      ["doors", { en: "Gates and Doors", ru: "Ворота и двери" }],
      ["palm", { en: "Potted Palm", ru: "Пальма в горшке" }],
      ["crate", { en: "A Crate" }],
    ]),
  );

  it.each(["qqqqqqqq", "wwwwww", "aaaaaaaa", "jjjjjj", "iiii", "йййййййй", "ааааа"])(
    "%s finds nothing",
    (q) => {
      expect(names.ids(q, 10)).toEqual([]);
    },
  );
});

describe("among thousands of names", () => {
  const draw = createDraw("among thousands of names");
  const pick = <Item>(items: readonly Item[]) => items[draw(items.length)] as Item;
  const words = Array.from({ length: 4000 }, () => {
    const syllables = pick([LATIN, CYRILLIC]);
    return Array.from({ length: 3 + draw(2) }, () => pick(syllables)).join("");
  });
  const nameOf = (n: number) => `${words[n]} ${words[(n * 7) % words.length]}`;
  const large = indexOf(words.map((_, n) => recordOf({ id: `w${n}`, name: nameOf(n) })));

  it("letters at random find nothing", () => {
    const queries = Array.from({ length: 300 }, () => {
      const letters = [...pick([LATIN, CYRILLIC]).join("")];
      return Array.from({ length: 5 + draw(8) }, () => pick(letters)).join("");
    });
    const answered = queries.filter((query) => large.ids(query, 1).length > 0);
    expect(answered.length).toBeLessThan(queries.length * 0.05);
  });

  it("a typing error in a name still finds it", () => {
    const missed = words.slice(0, 300).filter((word, n) => {
      const at = 1 + draw(word.length - 3);
      return !large.ids(nameOf(n).slice(0, at) + nameOf(n).slice(at + 1), 3).includes(`w${n}`);
    });
    expect(missed.length).toBeLessThan(6);
  });
});

const LATIN = "ka lo mi ren tar vo sha bri ne do qui zan pol fer gus".split(" ");
const CYRILLIC = "ка ло ми рен тар во ша бри не до жу зан пол фер гус".split(" ");

function recordsOf(entries: readonly (readonly [string, Record<string, string>])[]) {
  return entries.map(([id, names]) => recordOf({ id, name: Object.values(names)[0] ?? id, names }));
}
