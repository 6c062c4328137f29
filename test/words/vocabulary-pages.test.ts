import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findVocabularyWarnings } from "../../src/catalogue/vocabulary-warnings.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { translateText } from "../../src/words/i18n/lazy-text.ts";
import { LiveVocabulary, readVocabularyFile } from "../../src/words/vocabulary/live.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { addItem } from "../helpers/donate.ts";
import { mainOf, plainSpaces, textOf } from "../helpers/html.ts";

const WORDS = {
  categories: { Swords: { label: { ru: "Мечи" } } },
  attributes: {
    contents: {
      label: { en: "Contents", ru: "Содержимое" },
      values: { keys: { label: { ru: "Ключи" } } },
    },
    sku: { hidden: true },
  },
  kinds: {
    items: {
      groups: { fight: { label: { en: "In a fight", ru: "В бою" } } },
      attributes: {
        itemLevel: { label: { en: "Item level", ru: "Уровень предмета" }, order: 1, inLists: true },
        criticalChance: { type: "share", label: { en: "Critical chance", ru: "Шанс крита" }, group: "fight" },
        secret: { hidden: true },
        seed: { hidden: true },
        quality: {
          label: { en: "Quality", ru: "Качество" },
          values: {
            Poor: { label: { ru: "Плохое" }, colour: "#9d9d9d", rank: 0 },
            Common: { label: { ru: "Обычное" }, rank: 1 },
            Epic: { label: { ru: "Эпическое" }, colour: "#a335ee", rank: 4 },
          },
        },
      },
    },
  },
};

let directory: string;
let file: string;
let vocabulary: LiveVocabulary;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "almanac-vocabulary-"));
  file = path.join(directory, "site.json");
  await writeFile(file, JSON.stringify(WORDS));
  vocabulary = new LiveVocabulary({ file });
});
afterAll(() => rm(directory, { recursive: true }));

describe("pages of a site with a vocabulary", () => {
  const site = useTestApp({}, () => ({ vocabulary }));
  beforeAll(async () => {
    await emptyCatalogue(site.db);
    const made = ["Poor", "Common", "Epic"].flatMap((quality, place) =>
      [1, 2, 3].map((number) => ({
        id: `${quality}-${number}`,
        name: `${quality} sword ${number}`,
        category: "Swords",
        attributes: {
          quality,
          itemLevel: place * 10 + number,
          criticalChance: 0.25,
          secret: `s${number}`,
          seed: number,
        },
      })),
    );
    await insertRecords(site.db, "items", made);
  });
  const page = async (path: string) => (await request(site.app).get(path).expect(200)).text;
  const text = async (path: string) => plainSpaces(textOf(mainOf(await page(path))));

  it("have its labels, groups and types on an entry, and nothing that it hides", async () => {
    const english = await text("/items/Epic-1");
    expect(english).toContain("Item level 21 Quality Epic In a fight Critical chance 25%");
    expect(english).not.toMatch(/secret|s1/i);
    const russian = await text("/ru/items/Epic-1");
    expect(russian).toContain("Уровень предмета 21 Качество Эпическое В бою Шанс крита 25 %");
    expect(russian).toContain("Мечи");
    expect(russian).not.toContain("Swords");
  });

  it("have names and values in the colour of the value, from a style sheet that is there", async () => {
    const entry = await page("/items/Epic-1");
    expect(entry).toMatch(/<h1><span class="tint tint-a335ee">Epic sword 1</);
    expect(entry).toContain('<td class="tint tint-a335ee">Epic</td>');
    const [, sheet = ""] = /href="([^"]*tints[^"]*)"/.exec(entry) ?? [];
    const { text: style } = await request(site.app).get(sheet).expect(200).expect("Content-Type", /css/);
    expect(style).toMatch(/\.tint-a335ee\{--own:light-dark\(#[0-9a-f]{6},#[0-9a-f]{6}\)\}/);
    expect(await page("/items/Common-1")).not.toMatch(/<h1><span class="tint/);
  });

  it("filter by values from the lowest rank, in their words, and list what it asks for", async () => {
    const list = await text("/ru/items");
    const places = ["Плохое", "Обычное", "Эпическое"].map((word) => list.indexOf(word));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
    expect(list).toContain("Уровень предмета");
    expect(await page("/items?a.quality=Epic")).toContain('class="tint tint-a335ee">Epic sword 1');
    expect(await text("/ru/items?category=Swords")).toContain("Мечи");
  });

  it("have its words for attributes of the shop, which has no kind", async () => {
    const attributes = { contents: "keys", sku: "A-1", note: "Blue" };
    await importRecords(site.db, "donate-items", [
      { id: "box", name: "Box", price: "5", currency: "EUR", attributes },
    ]);
    const item = await text("/ru/donate/box");
    expect(item).toContain("Содержимое Ключи");
    expect(item).toContain("Note Blue");
    expect(item).not.toMatch(/sku|A-1/i);
  });

  it("compare by it", async () => {
    const compared = await text("/ru/compare/items?id=Epic-1&id=Poor-1");
    expect(compared).toContain("Эпическое Плохое");
    expect(compared).not.toContain("Secret");
  });

  it("follow the file; one with mistakes changes nothing", async () => {
    const renamed = JSON.stringify(WORDS).replace("Уровень предмета", "Ступень");
    await writeFile(file, renamed);
    const before = vocabulary.version;
    await vocabulary.noticeChange();
    expect(vocabulary.version).toBe(before + 1);
    expect(await text("/ru/items/Epic-1")).toContain("Ступень 21");
    await writeFile(file, '{"attributes": []}');
    await vocabulary.noticeChange();
    expect(vocabulary.version).toBe(before + 1);
    expect(await text("/ru/items/Epic-1")).toContain("Ступень 21");
    await writeFile(file, JSON.stringify(WORDS));
    await vocabulary.noticeChange();
    expect(await text("/ru/items/Epic-1")).toContain("Уровень предмета 21");
  });

  it("names currencies, in the form that goes with the amount", async () => {
    const currencies = {
      COINS: {
        en: { one: "coin", other: "coins" },
        ru: { one: "монета", few: "монеты", many: "монет", other: "монеты" },
      },
      credits: { ru: "кредитов" },
    };
    const price = { price: { type: "money", currency: "credits" } };
    await writeFile(file, JSON.stringify({ ...WORDS, currencies, kinds: { items: { attributes: price } } }));
    await vocabulary.noticeChange();
    await insertRecords(site.db, "items", [{ id: "sword", attributes: { price: 1200 } }]);
    for (const [id, price] of Object.entries({ a: "1", b: "2", c: "5000", d: "2.50" }))
      await addItem(site.db, { id, price, currency: "COINS" });
    await addItem(site.db, { id: "e", price: "3", currency: "EUR" });
    const english = await text("/donate");
    for (const amount of ["1 coin", "2 coins", "5,000 coins", "2.50 coins", "3.00 EUR"])
      expect(english).toMatch(new RegExp(`(?<![\\d,.])${amount}(?!\\w)`));
    const russian = await text("/ru/donate");
    for (const amount of ["1 монета", "2 монеты", "5 000 монет", "2,50 монеты", "3,00 EUR"])
      expect(russian).toMatch(new RegExp(`(?<![\\d,.])${amount}(?![а-я])`));
    expect(await text("/items/sword")).toContain("1,200 credits");
    expect(await text("/ru/items/sword")).toContain("1 200 кредитов");
    await writeFile(file, JSON.stringify(WORDS));
    await vocabulary.noticeChange();
    expect(await text("/ru/donate")).toContain("5 000 COINS");
  });

  it("finds records by what categories and values are called, and follows changes", async () => {
    const ids = (query: string) => site.search.ids("items", query, 9);
    expect(await ids("мечи")).toHaveLength(9);
    expect(await ids("меч")).toHaveLength(9);
    expect(await ids("мечи sword 2")).toHaveLength(3);
    expect(await ids("клинки")).toEqual([]);
    await insertRecords(site.db, "items", [{ id: "new", name: "Glamdring", category: "Swords" }]);
    expect(await ids("glamdring мечи")).toEqual(["new"]);
    const categories = { Swords: { label: { en: "Blades", ru: "Клинки" } } };
    await writeFile(file, JSON.stringify({ ...WORDS, categories }));
    await vocabulary.noticeChange();
    expect(await ids("blades")).toHaveLength(9);
    expect(await ids("клинок")).toHaveLength(9);
    expect(await ids("glamdring клинки")).toEqual(["new"]);
    expect(await ids("мечи")).toEqual([]);
    await site.db("items").where({ id: "new" }).delete();
    await writeFile(file, JSON.stringify(WORDS));
    await vocabulary.noticeChange();
  });

  it("is doubted where it names what no record has, with the nearest name", async () => {
    const doubtful = {
      attributes: { itemlevel: {}, quality: { values: { epic: "E", Poor: "P" } }, contents: {} },
      kinds: { items: { tint: "qualty" }, vehicles: { attributes: { speed: {} } } },
      categories: { Sword: {}, Swords: {} },
    };
    const doubts = await findVocabularyWarnings(site.db, doubtful);
    expect(doubts.map((doubt) => translateText(doubt))).toEqual([
      'attributes: no record has "itemlevel"; perhaps "itemLevel" is meant',
      'attributes.quality.values: no record has "epic"; perhaps "Epic" is meant',
      'kinds.items.tint: none of the items has "qualty"; perhaps "quality" is meant',
      'kinds.vehicles.attributes: none of the vehicles has "speed"',
      'categories: no record has "Sword"; perhaps "Swords" is meant',
    ]);
  });
});

describe("a vocabulary's file", () => {
  it("must be there where a setting names it, and not where none does", () => {
    const missing = path.join(directory, "missing.json");
    expect(() => new LiveVocabulary({ file: missing, isRequired: true })).toThrow(/there is no file/);
    expect(
      new LiveVocabulary({ file: missing }).of({ withDefaults: false }).of("items").label("seats", "ru"),
    ).toBe("Места");
  });

  it("is refused with a line for each mistake", async () => {
    const wrong = path.join(directory, "wrong.json");
    await writeFile(wrong, '{\n"attribute": {},\n"kinds": []\n}');
    expect(() => readVocabularyFile(wrong)).toThrow(/wrong\.json, line 2: .*\n.*wrong\.json, line 3: /);
  });
});
