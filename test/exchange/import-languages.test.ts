import { beforeAll, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import type { ImportKind } from "../../src/exchange/import/kinds.ts";
import { parseMappings } from "../../src/exchange/import/records/mapping.ts";
import { UsageError } from "../../src/settings/usage-error.ts";
import { lazyText } from "../../src/words/i18n/lazy-text.ts";
import { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue } from "../helpers/catalogue.ts";
import { mainOf, textOf } from "../helpers/html.ts";

const MAP = [
  "category=type",
  "category.en=type",
  "category.ru=type_ru",
  "description=about",
  "description.ru=about_ru",
  "names.ru=name_ru",
  "attributes.rarity=rarity",
  "attributes.rarity.ru=rarity_ru",
];
const RARE = { rarity: "Rare", rarity_ru: "Редкий" };
const SWORD = {
  ...{ id: "sword", name: "Sword of dawn", name_ru: "Рассветный клинок", type: "Sword", type_ru: "Меч" },
  ...{ about: "Cuts the night.", about_ru: "Рассекает ночь.", ...RARE },
};
const COMMON = { rarity: "Common", rarity_ru: "Обычный" };
const RECORDS = [
  SWORD,
  { ...SWORD, id: "sword-2", name: "Sword of dusk", name_ru: "Закатный клинок", ...COMMON },
  { ...SWORD, id: "sword-3", name: "Sword of noon", name_ru: "Клинок", type_ru: "Мечь", ...COMMON },
  { id: "bow", name: "Bow", name_ru: "Лук", type: "Bow", type_ru: "Лук", ...RARE },
];

const vocabulary = new LiveVocabulary({ defaults: { categories: { Bow: { label: { ru: "Луки демо" } } } } });

describe("records in several languages", () => {
  const site = useTestApp({}, () => ({ vocabulary }));
  const load = async (records: object[], map = MAP, kind: ImportKind = "items", prune = false) => {
    const mappings = parseMappings(kind, map);
    const summary = await importRecords(site.db, kind, records, { mappings, prune });
    await site.search.refresh();
    return summary;
  };
  const page = async (path: string) => textOf(mainOf(await site.page(path)));

  beforeAll(async () => {
    await emptyCatalogue(site.db);
    await site.db("catalogue_words").delete();
    await load(RECORDS);
  });

  it("keeps the record's own words, and takes the name that most records have", async () => {
    expect(await site.db("items").where({ id: "sword" }).first()).toMatchObject({
      ...{ category: "Sword", description: "Cuts the night.", attributes: { rarity: "Rare" } },
      descriptions: { ru: "Рассекает ночь." },
    });
    const words = site.db("catalogue_words").where({ value: "Sword", language: "ru" });
    expect(await words.pluck("label")).toEqual(["Меч"]);
  });

  it("finds no change in the same file, and one in a file with one other description", async () => {
    expect(await load(RECORDS)).toMatchObject({ added: 0, changed: 0, unchanged: 4, words: 0 });
    const other = [{ ...SWORD, about_ru: "Разрезает ночь." }, ...RECORDS.slice(1)];
    expect(await load(other)).toMatchObject({ changed: 1, unchanged: 3 });
    expect(await page("/ru/items/sword")).toMatch(/Описание \(русский\).*Рассекает.*Разрезает/);
    await load(RECORDS);
  });

  it("shows them to users of the language, in the list, its filters and the entry", async () => {
    const list = await page("/ru/items");
    expect(list).toContain("Меч");
    expect(list).toContain("Редкий");
    expect(list).not.toContain("Rare");
    expect(await site.page("/ru/items")).toMatch(/value="Rare"/);
    const entry = await site.page("/ru/items/sword");
    expect(textOf(mainOf(entry))).toContain("Рассекает ночь.");
    expect(entry).toMatch(/<meta name="description" content="[^"]*Рассекает ночь/);
    expect(entry).toMatch(/class="description"[^>]*lang="ru"/);
    expect(await page("/en/items/sword")).toContain("Cuts the night.");
    expect(await page("/en/items")).not.toContain("Редкий");
  });

  it("shows them on the comparison, the card, the search's page and in the feed", async () => {
    expect(await page("/ru/compare/items?id=sword&id=bow")).toMatch(/Меч.*Редкий/);
    expect(await site.page("/ru/items/sword/card")).toMatch(/Меч[\s\S]*Редкий|Редкий[\s\S]*Меч/);
    expect(await page("/ru/search?q=клинок")).toContain("Меч");
    const feed = await site.page("/ru/items.rss");
    expect(feed).toContain("Рассекает ночь.");
    expect(feed).toContain("<category>Меч</category>");
    expect(await site.page("/items.rss")).toContain("Cuts the night.");
  });

  it("is found by its category and values in any language, with the record's own category", async () => {
    const { agent } = await site.logIn();
    const found = async (q: string) => {
      const { body } = await agent.get("/api/items/search").query({ q }).expect(200);
      return body.results.map(({ id, category }: { id: string; category: string }) => `${id} ${category}`);
    };
    expect(await found("клинок редкий")).toEqual(["sword Sword"]);
    expect(await found("меч рассветный")).toEqual(["sword Sword"]);
    expect(await found("dawn rare")).toEqual(["sword Sword"]);
  });

  it("prefers the operator's own vocabulary, language by language", () => {
    const words = vocabulary.of({ withDefaults: false });
    expect(words.categoryLabel("Bow", "ru")).toBe("Лук");
    const own = new LiveVocabulary({ defaults: {} });
    own.takeWords(1, { categories: { Bow: { label: { ru: "Лук", de: "Bogen" } } } });
    expect(own.of({ withDefaults: false }).categoryLabel("Bow", "de")).toBe("Bogen");
  });

  it("takes a changed word over, and removes pruned ones", async () => {
    const renamed = RECORDS.map((record) => ({
      ...{ ...record, rarity_ru: record.rarity === "Rare" ? "Раритетный" : "Обычный" },
    }));
    expect(await load(renamed)).toMatchObject({ changed: 0, words: 1 });
    expect(await page("/ru/items")).toContain("Раритетный");
    await site.search.refresh();
    expect(await site.search.ids("items", "клинок раритетный", 5)).toEqual(["sword"]);
    expect(await load(renamed.slice(0, 3), MAP, "items", true)).toMatchObject({ removed: 1, words: 2 });
    expect(await site.db("catalogue_words").where({ value: "Bow" })).toEqual([]);
  });

  it("reads objects by language as JSON has them", async () => {
    const shield = {
      ...{ id: "shield", name: "Shield", category: { en: "Shield", ru: "Щит" } },
      description: { en: "Guards.", ru: "Защищает." },
      attributes: { material: { ru: "Дуб", en: "Oak" }, size: { width: 1 } },
    };
    const words = { categories: { ru: "Шлем", de: "Helm" }, descriptions: { ru: "Греет." } };
    const { warnings } = await load(
      [shield, { id: "helm", name: "Helm", ...words }, { id: "cap", name: "Cap", descriptions: {} }],
      [],
    );
    expect(warnings).toEqual([]);
    const rows = await site.db("items").whereIn("id", ["helm", "shield"]).orderBy("id");
    expect(rows).toMatchObject([
      { category: "Шлем", description: "Греет.", descriptions: { ru: "Греет." } },
      { category: "Shield", description: "Guards.", attributes: { material: "Oak", size: { width: 1 } } },
    ]);
    expect(await page("/ru/items/shield")).toMatch(/Защищает\..*Дуб/);
  });

  it("keeps foreign lists called categories, and attributes whose name has a dot", async () => {
    const options = { mappings: parseMappings("items", ["attributes.owner.id=owner"]), keepRest: true };
    const odd = { id: "odd", name: "Odd", categories: ["a", "b"], owner: 7 };
    await importRecords(site.db, "items", [odd], options);
    expect(await site.db("items").where({ id: "odd" }).first("attributes")).toEqual({
      attributes: { categories: ["a", "b"], "owner.id": 7 },
    });
  });

  it("refuses a record with a translation that is too long, and parts of fields without languages", async () => {
    const long = { type_ru: "м".repeat(101), rarity_ru: "р".repeat(301), about_ru: "о".repeat(20_001) };
    const error: unknown = await load([{ ...SWORD, id: "wrong", ...long }]).catch((thrown) => thrown);
    const problem = (field: string, max: number) => ({
      ...{ field, reason: lazyText("refusals.long", { max, length: max + 1 }) },
    });
    const problems = [
      problem("descriptions.ru", 20_000),
      problem("categories.ru", 100),
      problem("attributes.rarity.ru", 300),
    ];
    expect(error).toMatchObject({ summary: { invalidRecords: [{ problems }] } });
    expect(() => parseMappings("items", ["category.hp=x"])).toThrow(UsageError);
    expect(() => parseMappings("servers", ["category.ru=x"])).toThrow(/no field "category"/);
    expect(() => parseMappings("servers", ["game.ru=x"])).toThrow(/has no parts/);
  });

  it("shows the shop's categories and descriptions in the reader's language", async () => {
    const gem = { id: "gem", name: "Gem", price: "5", currency: "EUR" };
    const words = {
      category: { en: "Gems", ru: "Самоцветы" },
      descriptions: { en: "Shines.", ru: "Блестит." },
    };
    await load([{ ...gem, ...words }], [], "donate-items");
    await load([{ ...gem, descriptions: { en: "Shines.", ru: "Блестит." } }], [], "donate-items");
    expect(await page("/ru/donate/gem")).toMatch(/Самоцветы.*Блестит\./);
    expect(await site.page("/ru/donate?category=Gems")).toMatch(/<title>[^<]*Самоцветы/);
  });
});
