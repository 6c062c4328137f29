import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { listEntries } from "../../src/catalogue/list/queries.ts";
import { listPlaced } from "../../src/catalogue/map/queries.ts";
import { listShopItems } from "../../src/shop/shop-queries.ts";
import { localName, localNameSql } from "../../src/words/i18n/local-name.ts";
import { compareNames } from "../../src/words/i18n/name-order.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { addItem } from "../helpers/donate.ts";

const database = useTestDatabase();

/** As somebody would look for them in a printed index. */
const LETTERS_IN_ORDER = [
  "Activated Charcoal",
  "Admiral",
  "AK-47",
  "AT-400",
  "Baggage",
  "BF Injection",
  "éclair",
  "eCola",
  "House 2",
  "House 10",
  "Дом в Блуберри",
  "Дом Райдера",
  "Ёлка",
  "Ель",
  "Жар-птица",
];
const FIGURES_IN_ORDER = ["9mm", "10mm"];
/** Lists begin with letters, and end with what has none at its beginning. */
const IN_ORDER = [...LETTERS_IN_ORDER, "-", '"Lucky" coin', "[Quest] Letter", ...FIGURES_IN_ORDER];
const shuffled = IN_ORDER.toSorted((a, b) => a.length - b.length || (a < b ? 1 : -1));

/** Names that readers of Russian, and those of Brazil, are shown by the nearest tag, or by the main name. */
const BY_TAG: { name: string; names: Record<string, string> }[] = [
  { name: "Zulu", names: { ru: "Арбуз" } },
  { name: "Alpha", names: { "ru-RU": "Яблоко" } },
  { name: "Bravo", names: { "ru-RU": "Ель", "ru-BY": "Вишня" } },
  { name: "Charlie", names: { "ru-RU": "Жар", ru: "Груша" } },
  { name: "Delta", names: { rus: "Арка", en: "Zebra" } },
  { name: "Дом", names: {} },
  { name: "Ёж", names: { "pt-BR": "Abacaxi", "pt-PT": "Ananas" } },
];

describe("lists in a language are in the order of the names that they show", () => {
  beforeEach(() => emptyCatalogue(database.db));

  const range = (language: string) => ({ sort: "name", limit: 50, offset: 0, language }) as const;
  const namesOf = (listed: readonly Parameters<typeof localName>[0][], language: string) =>
    listed.map((record) => localName(record, language).name);
  const inOrder = (language: string) => namesOf(BY_TAG, language).sort(compareNames);

  it.each(["ru", "en", "pt", "pt-BR", "ru-RU", "fr"])("in %s", async (language) => {
    const entries = BY_TAG.map((entry, at) => ({ id: String(at), ...entry }));
    await insertRecords(database.db, "vehicles", entries);
    const listed = await listEntries(database.db, "vehicles", {}, range(language));
    expect(namesOf(listed, language)).toEqual(inOrder(language));
  });

  it("on the map", async () => {
    const attributes = { x: 1, y: 2 };
    const entries = BY_TAG.map((entry, at) => ({ id: String(at), attributes, ...entry }));
    await insertRecords(database.db, "houses", entries);
    const listed = await listPlaced(database.db, "houses", undefined, range("ru"));
    expect(namesOf(listed, "ru")).toEqual(inOrder("ru"));
  });

  it("in the shop", async () => {
    for (const [at, { name, names }] of BY_TAG.entries())
      await addItem(database.db, { id: String(at), name, names: JSON.stringify(names) });
    const listed = await listShopItems(database.db, {}, "name", { limit: 50, offset: 0 }, "ru");
    expect(namesOf(listed, "ru")).toEqual(inOrder("ru"));
  });
});

describe("the name of a record in SQL", () => {
  it("is the one that pages show, in every language", async () => {
    const tags = ["en", "pt", "pt-BR", "pt-PT", "zh", "zh-Hans", "zh-Hant", "zh-Hant-TW", "es-419"];
    const tag = fc.constantFrom(...tags);
    const names = fc.dictionary(tag, fc.constantFrom("A", "B", "C"));
    await fc.assert(
      fc.asyncProperty(names, tag, async (names, language) => {
        const { sql, bindings } = localNameSql(language, "record");
        const record = [{ name: "Main", names }].map((each) => JSON.stringify(each));
        const { rows } = await database.db.raw(
          `select ${sql} as shown from jsonb_to_record(?::jsonb) as record (name text, names jsonb)`,
          [...bindings, ...record],
        );
        expect(rows[0].shown).toBe(localName({ name: "Main", names }, language).name);
      }),
      { numRuns: 100 },
    );
  });
});

describe("names are sorted as people search for them", () => {
  it("by the database", async () => {
    await emptyCatalogue(database.db);
    const entries = shuffled.map((name, at) => ({ id: String(at), name }));
    await insertRecords(database.db, "vehicles", entries);
    const range = { sort: "name", limit: 50, offset: 0 } as const;
    const listed = await listEntries(database.db, "vehicles", {}, range);
    expect(listed.map(({ name }) => name)).toEqual(IN_ORDER);
  });

  it("by the site's own code, for rows in memory", () => {
    const texts = [...FIGURES_IN_ORDER, ...LETTERS_IN_ORDER];
    expect(texts.toReversed().sort(compareNames)).toEqual(texts);
  });
});
