import { setTimeout as delay } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { down, up } from "../../migrations/20261121101300_keep_price_history.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { priceSteps } from "../../src/shop/price-history.ts";
import { loadPriceVersions } from "../../src/shop/price-history-queries.ts";
import { endDiscount } from "../../src/shop/save-discount.ts";
import { emptyTables, useTestDatabase } from "../helpers/database.ts";
import { addDiscount, addItem, HOUR_MS } from "../helpers/donate.ts";

const database = useTestDatabase();

beforeEach(async () => {
  await emptyTables(database.db, "donate_items");
});

const prices = async () =>
  database
    .db("price_versions")
    .orderBy("id")
    .select("item_key", "price", "currency", "valid_from", "valid_to");
const versions = async () => database.db("discount_versions").orderBy("id");

/** The prices that an item had, oldest first. */
async function history(key: string): Promise<(string | null)[]> {
  const since = new Date(Date.now() - 1000 * HOUR_MS);
  const { prices, discounts } = await loadPriceVersions(database.db, key, since);
  return priceSteps(prices, discounts, { since, until: new Date(Date.now() + 1000) }).map(
    ({ price }) => price,
  );
}

describe("the versions of prices", () => {
  it("are kept when a price or currency changes, and only then", async () => {
    await addItem(database.db, { id: "gold", price: "10", created_at: "2026-01-01T00:00:00Z" });
    await database.db("donate_items").update({ name: "New name" });
    await database.db("donate_items").update({ price: "10.00" });
    const first = { item_key: "gold", price: "10.00", currency: "EUR" };
    expect(await prices()).toEqual([{ ...first, valid_from: new Date("2026-01-01"), valid_to: null }]);
    await database.db("donate_items").update({ price: "12" });
    await database.db("donate_items").update({ price: null });
    await database.db("donate_items").update({ currency: "USD" });
    const kept = await prices();
    expect(kept.map(({ price, currency }) => [price, currency])).toEqual([
      ["10.00", "EUR"],
      ["12.00", "EUR"],
      [null, "EUR"],
      [null, "USD"],
    ]);
    expect(kept.map(({ valid_to }) => valid_to)).toEqual([
      ...kept.slice(1).map(({ valid_from }) => valid_from),
      null,
    ]);
  });

  it("are those of each row that a statement changes", async () => {
    for (const id of ["a", "b", "c"]) await addItem(database.db, { id, price: "10" });
    await database.db.raw("update donate_items set price = case id when 'a' then 10 else 11 end");
    const kept = (await prices()).map(({ item_key, price }) => `${item_key} ${price}`);
    expect(kept.join(", ")).toBe("a 10.00, b 10.00, c 10.00, b 11.00, c 11.00");
  });

  it("go with their item", async () => {
    await addItem(database.db, { id: "gold" });
    await addDiscount(database.db, { id: "d", item_key: "gold", percent: "10" });
    await database.db("donate_items").delete();
    expect([await prices(), await versions()]).toEqual([[], []]);
  });
});

describe("the versions of discounts", () => {
  beforeEach(() =>
    addItem(database.db, { id: "gold", price: "10", created_at: new Date(Date.now() - 50 * HOUR_MS) }),
  );

  it("are kept when a discount's terms or times change, and only then", async () => {
    await addDiscount(database.db, { id: "d", item_key: "gold", percent: "10", ends: null });
    await database
      .db("discounts")
      .update({ title: "Another", announced: true, told_at: database.db.fn.now() });
    expect(await versions()).toHaveLength(1);
    await database.db("discounts").update({ percent: null, price: "4" });
    await database.db("discounts").update({ ends_at: "2099-01-01T00:00:00Z" });
    await database.db("discounts").update({ starts_at: "2026-01-01T00:00:00Z" });
    const kept = await versions();
    expect(kept.map(({ percent, price, ends_at }) => [percent, price, ends_at?.getUTCFullYear()])).toEqual([
      ["10.00", null, undefined],
      [null, "4.00", undefined],
      [null, "4.00", 2099],
      [null, "4.00", 2099],
    ]);
    expect(kept.map(({ valid_to }) => valid_to)).toEqual([
      ...kept.slice(1).map(({ valid_from }) => valid_from),
      null,
    ]);
  });

  it("make the history of a discount that was imported late, edited, ended and withdrawn", async () => {
    await addDiscount(database.db, { id: "late", item_key: "gold", percent: "50", starts: -20, ends: -10 });
    expect(await history("gold")).toEqual(["10.00", "5.00", "10.00"]);
    await addDiscount(database.db, { id: "d", item_key: "gold", percent: "10" });
    await database.db("discounts").where({ id: "d" }).update({ percent: "20" });
    expect(await history("gold")).toEqual(["10.00", "5.00", "10.00", "9.00", "8.00"]);
    await endDiscount(database.db, "d", "end");
    expect(await history("gold")).toEqual(["10.00", "5.00", "10.00", "9.00", "8.00", "10.00"]);
    await addDiscount(database.db, { id: "e", item_key: "gold", percent: "30", starts: 0 });
    // A discount of less than a millisecond leaves no step.
    await delay(5);
    await database.db("discounts").where({ id: "e" }).delete();
    expect((await history("gold")).slice(-3)).toEqual(["10.00", "7.00", "10.00"]);
    await addDiscount(database.db, { id: "f", item_key: "gold", percent: "30", starts: 1, ends: 2 });
    await endDiscount(database.db, "f", "withdraw");
    expect(await history("gold")).toHaveLength(8);
  });

  it("know every run of a discount that comes again under its id", async () => {
    const now = Date.now();
    const run = (percent: number, starts: number, ends: number) =>
      importRecords(database.db, "discounts", [
        {
          id: "weekly",
          item_key: "gold",
          percent,
          starts_at: new Date(now + starts * HOUR_MS).toISOString(),
          ends_at: new Date(now + ends * HOUR_MS).toISOString(),
        },
      ]);
    await run(10, -30, -20);
    await run(20, -10, -5);
    await run(20, -10, -5);
    expect(await versions()).toHaveLength(2);
    expect(await history("gold")).toEqual(["10.00", "9.00", "10.00", "8.00", "10.00"]);
    await run(40, -1, 5);
    expect(await history("gold")).toEqual(["10.00", "9.00", "10.00", "8.00", "10.00", "6.00"]);
    // What runs is the same run: a correction of it does not change what it was.
    await run(50, -1, 6);
    expect((await history("gold")).slice(-3)).toEqual(["10.00", "6.00", "5.00"]);
  });
});

describe("the migration", () => {
  it("begins with what is there: a price since it was last changed, a discount for all of its time", async () => {
    const { db } = database;
    const old = { created_at: "2026-01-01T00:00:00Z", updated_at: "2026-02-01T00:00:00Z" };
    await addItem(db, { id: "same", ...old });
    await addItem(db, { id: "changed", ...old, revision: 2 });
    await addDiscount(db, { id: "d", item_key: "same", percent: "10", starts: -5, ends: 5 });
    await db.transaction(down);
    await db("discounts").update({ percent: "20" });
    await db.transaction(up);
    expect((await prices()).map(({ item_key, valid_from }) => [item_key, valid_from])).toEqual(
      expect.arrayContaining([
        ["same", new Date("2026-01-01")],
        ["changed", new Date("2026-02-01")],
      ]),
    );
    const { starts_at } = await db("discounts").first();
    expect(await versions()).toMatchObject([
      { discount_id: "d", percent: "20.00", valid_from: starts_at, valid_to: null },
    ]);
    await db("discounts").update({ percent: "30" });
    expect(await versions()).toHaveLength(2);
  });
});

describe("the history of very many discounts", () => {
  it("goes back to where none is missing, with what began long before and still runs", async () => {
    await addItem(database.db, { id: "gold", price: "100" });
    await addDiscount(database.db, { id: "long", item_key: "gold", percent: "1", starts: -900, ends: null });
    const version = await database.db("discount_versions").first();
    await database.db("discount_versions").update({ valid_from: version.starts_at });
    // 600 that are over, of two hours each, one begun every hour.
    await database.db.raw(
      `insert into discount_versions (discount_id, item_key, percent, starts_at, ends_at, valid_from)
       select 'd' || n, 'gold', 2, at, at + interval '2 hours', at
         from generate_series(3, 602) as n, lateral (select now() - make_interval(hours => n) as at) as times`,
    );
    const wanted = new Date(Date.now() - 1000 * HOUR_MS);
    const { discounts, since } = await loadPriceVersions(database.db, "gold", wanted);
    expect(discounts).toHaveLength(501);
    expect(discounts.map(({ id }) => id)).toContain("long");
    expect(Math.round((Date.now() - since.getTime()) / HOUR_MS)).toBe(500);
  });
});
