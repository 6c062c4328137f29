import { beforeEach, describe, expect, it } from "vitest";
import type { ImportOptions } from "../../src/exchange/import/arguments.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import type { ImportKind } from "../../src/exchange/import/kinds.ts";
import { parseMappings } from "../../src/exchange/import/records/mapping.ts";
import { emptyTables, useTestDatabase } from "../helpers/database.ts";
import { invalidLinesOf, refusalOf } from "../helpers/refused-imports.ts";
import { addUser } from "../helpers/users.ts";

const database = useTestDatabase();

beforeEach(async () => {
  await emptyTables(database.db, "donate_items, users");
});

const load = (kind: ImportKind, records: unknown[], options?: ImportOptions) =>
  importRecords(database.db, kind, records, options);

const vip = {
  id: "vip",
  name: "VIP",
  names: { en: "VIP", ru: "ВИП" },
  category: "Status",
  description: "For **30** days.",
  image: null,
  attributes: { days: 30 },
  price: "9.99",
  currency: "EUR",
};
const half = {
  id: "half",
  item_key: "vip",
  title: "Half price",
  percent: "50",
  starts_at: "2026-01-01",
  ends_at: "2026-02-01",
};

async function snapshot(table: string): Promise<string[]> {
  const { rows } = await database.db.raw(`select t::text as row from ${table} t order by id`);
  return rows.map(({ row }: { row: string }) => row);
}

describe("demo items of the shop", () => {
  it("lose demo discounts and demo prices when they are imported, but not the operator's discounts", async () => {
    const { db } = database;
    await load("donate-items", [{ ...vip, price: 20 }], { demo: true });
    await load("donate-items", [vip], { demo: true });
    await load("discounts", [half], { demo: true });
    await load("discounts", [{ ...half, id: "own" }]);
    const own = { id: "vip", name: "VIP", price: 5, currency: "EUR" };
    const { added, changed } = await load("donate-items", [own]);
    expect([added, changed]).toEqual([0, 1]);
    const left = { description: null, names: {}, category: null, attributes: {}, revision: 1, demo: false };
    const row = await db("donate_items").first();
    expect(row).toMatchObject({ ...left, price: "5.00" });
    expect(await db("discounts").pluck("id")).toEqual(["own"]);
    expect(await db("discount_versions").distinct("discount_id").pluck("discount_id")).toEqual(["own"]);
    const prices = await db("price_versions").select("price", "valid_from", "valid_to");
    expect(prices).toEqual([{ price: "5.00", valid_from: row.created_at, valid_to: null }]);
  });
});

describe("donate items", () => {
  it("are stored, stay the same when imported again, and change with their price", async () => {
    expect(await load("donate-items", [vip])).toMatchObject({ added: 1 });
    expect(await database.db("donate_items").first()).toMatchObject({ ...vip, revision: 1, demo: false });
    const before = await snapshot("donate_items");
    for (const price of [9.99, "9.9900"])
      expect(await load("donate-items", [{ ...vip, price, currency: "eur" }])).toMatchObject({ changed: 0 });
    expect(await snapshot("donate_items")).toEqual(before);
    expect(await load("donate-items", [{ ...vip, price: "9.98" }])).toMatchObject({ changed: 1 });
    expect(await database.db("donate_items").first()).toMatchObject({ price: "9.98", revision: 2 });
  });

  it("may have no price, and get the currency that is given for all", async () => {
    const records = [
      { id: 1, name: "A", coins: -1 },
      { id: 2, name: "B", coins: 5, currency: "USD" },
    ];
    await load("donate-items", records, {
      mappings: parseMappings("donate-items", ["price=coins"]),
      nulls: [{ value: "-1" }],
      currency: "COINS",
    });
    const rows = await database.db("donate_items").orderBy("id").select("id", "price", "currency");
    expect(rows).toEqual([
      { id: "1", price: null, currency: "COINS" },
      { id: "2", price: "5.00", currency: "USD" },
    ]);
  });
});

describe("discounts", () => {
  beforeEach(async () => {
    const gift = { id: "gift", name: "Gift", currency: "EUR" };
    await load("donate-items", [vip, gift, { ...vip, id: "cent", price: "0.01" }]);
  });

  /** A day ends at its end: a discount until 1 February includes that day. */
  const END = "2026-02-02T02:59:59.999+03:00";

  it("are stored, and stay the same when imported again", async () => {
    const fixed = { id: 2, item_key: "vip", price: 4.5, starts_at: "2026-01-01T00:00:00+03:00" };
    expect(await load("discounts", [half, fixed])).toMatchObject({ added: 2 });
    const rows = await database.db("discounts").orderBy("id");
    expect(rows).toMatchObject([
      { id: "2", item_key: "vip", title: null, percent: null, price: "4.50", ends_at: null },
      { id: "half", title: "Half price", percent: "50.00", price: null, revision: 1 },
    ]);
    expect(rows[0].starts_at.toISOString()).toBe("2025-12-31T21:00:00.000Z");
    const before = await snapshot("discounts");
    const same = { ...half, percent: "50 %", starts_at: "2026-01-01T03:00:00+03:00", ends_at: END };
    expect(await load("discounts", [same, fixed])).toMatchObject({ changed: 0, unchanged: 2 });
    expect(await snapshot("discounts")).toEqual(before);
  });

  it("change with their end, and can change from percent to price", async () => {
    await load("discounts", [half]);
    expect(await load("discounts", [{ ...half, ends_at: "2026-03-01" }])).toMatchObject({ changed: 1 });
    expect(await load("discounts", [{ ...half, percent: null, price: 1 }])).toMatchObject({ changed: 1 });
    const row = { percent: null, price: "1.00", revision: 3 };
    expect(await database.db("discounts").first()).toMatchObject(row);
  });

  it("come from one file, not from a mixture of two", async () => {
    await load("discounts", [half]);
    const { title, percent, ends_at, ...rest } = half;
    const next = { ...rest, price: "5.00", starts_at: "2026-06-01" };
    expect(await load("discounts", [next])).toMatchObject({ changed: 1 });
    expect(await database.db("discounts").first()).toMatchObject({
      ...{ title, percent: null, price: "5.00", ends_at: null, starts_at: new Date("2026-06-01") },
    });
    expect(await load("discounts", [{ ...rest, percent }])).toMatchObject({ changed: 1 });
    expect(await database.db("discounts").first()).toMatchObject({ percent: "50.00", price: null });
  });

  it("keep their notifications when they do not change", async () => {
    const { db } = database;
    await load("discounts", [half]);
    const user_id = await addUser(db, "Ann");
    const about = { discount_id: "half", item_key: "vip" };
    const notification = { user_id, ...about, item_name: "VIP", new_price: 5, currency: "EUR" };
    await db("notifications").insert(notification);
    await load("donate-items", [vip]);
    await load("discounts", [half]);
    expect(await db("notifications").select("discount_id", "item_key")).toEqual([about]);
  });

  it("must be of an item that is there, and make it cheaper", async () => {
    const on = (item_key: string, rest: object) => ({ item_key, starts_at: "2026-01-01", ...rest });
    const records = [
      { id: 1, ...on("vip", { price: "9.98" }) },
      { id: 2, ...on("vip", { price: "9.99" }) },
      { id: 3, ...on("vip", { price: "10" }) },
      { id: 4, ...on('no "such" item', { percent: 5 }) },
      { id: 5, ...on("gift", { percent: 5 }) },
      { id: 6, ...on("gift", { price: 5 }) },
      { id: 7, ...on("cent", { percent: 1 }) },
      { id: 8, ...on("cent", { percent: 100 }) },
    ];
    expect(await invalidLinesOf(load("discounts", records))).toEqual([
      "record 2: price: must be below the item’s price, 9.99",
      "record 3: price: must be below the item’s price, 9.99",
      'record 4: item_key: must be an item of the shop, not "no \\"such\\" item"',
      "record 5: percent: cannot be taken off: the item has no price",
      "record 7: percent: doesn’t lower the item’s price, 0.01",
    ]);
    expect(await load("discounts", records, { skipInvalid: true })).toMatchObject({ added: 3, invalid: 5 });
    expect(await database.db("discounts").orderBy("id").pluck("id")).toEqual(["1", "6", "8"]);
  });

  it("of less than a coin are judged by the price that they make", async () => {
    const item = (id: string, price: string, currency: string) => ({ id, name: id, price, currency });
    await load("donate-items", [item("coins", "3", "COINS"), item("half", "3.5", "COINS")]);
    await load("donate-items", [item("yen", "10", "JPY"), item("euro", "3", "EUR")]);
    const records = [
      { id: 1, item_key: "coins", percent: 16.67 },
      { id: 2, item_key: "coins", percent: 16.66 },
      { id: 3, item_key: "half", percent: 16.66 },
      { id: 4, item_key: "yen", percent: 5 },
      { id: 5, item_key: "yen", percent: 5.01 },
      { id: 6, item_key: "euro", percent: 0.17 },
      { id: 7, item_key: "euro", percent: 0.16 },
    ].map((discount) => ({ ...discount, starts_at: "2026-01-01" }));
    expect(await invalidLinesOf(load("discounts", records))).toEqual([
      "record 2: percent: doesn’t lower the item’s price, 3.00",
      "record 4: percent: doesn’t lower the item’s price, 10.00",
      "record 7: percent: doesn’t lower the item’s price, 3.00",
    ]);
  });

  it("are announced if the file says so, until it says otherwise", async () => {
    const announced = () => database.db("discounts").orderByRaw("id::int").pluck("announced");
    const words = [true, "yes", "1", 1, false, "no", "0", 0, null, undefined];
    const discounts = words.map((word, id) => ({ ...half, id, announced: word }));
    await load("discounts", discounts);
    expect(await announced()).toEqual([...Array(4).fill(true), ...Array(6).fill(false)]);
    expect(await load("discounts", [{ ...half, id: 0 }])).toMatchObject({ changed: 0 });
    discounts[0] = { ...half, id: 0, announced: null };
    expect(await load("discounts", discounts)).toMatchObject({ changed: 1 });
    expect(await announced()).toEqual([false, ...Array(3).fill(true), ...Array(6).fill(false)]);
    expect(await invalidLinesOf(load("discounts", [{ ...half, announced: "soon" }]))).toEqual([
      'record 1: announced: must be true or false, not "soon"',
    ]);
  });

  it("that repeat or have no item are all counted, and the first fifty are listed", async () => {
    const ids = Array.from({ length: 80 }, (_, id) => id);
    const bad = ids.map((id) => ({ id, item_key: "nothing", percent: 5, starts_at: "2026-01-01" }));
    const { summary } = await refusalOf(load("discounts", [...bad, { ...half, id: 0 }]));
    expect(summary.invalid).toBe(81);
    const listed = summary.invalidRecords.map(({ record }) => record - 1);
    expect(listed).toEqual(ids.slice(0, 50));
  });

  it("are previewed by their title, or their item", async () => {
    const { preview } = await load("discounts", [half, { ...half, id: 2, title: "" }], { dryRun: true });
    expect(preview?.added).toEqual([
      { id: "half", name: "Half price" },
      { id: "2", name: "vip" },
    ]);
  });
});
