import { beforeEach, describe, expect, it } from "vitest";
import {
  discountsChangedAt,
  findShopItem,
  listActiveDiscounts,
  listDiscountsOf,
} from "../../src/records/prices/queries.ts";
import { listShopItems, type ShopSort } from "../../src/shop/shop-queries.ts";
import { openTransaction, useTestDatabase } from "../helpers/database.ts";
import { addDiscount, addItem } from "../helpers/donate.ts";
import { databaseClock } from "../helpers/servers.ts";

const database = useTestDatabase();
const ALL = { limit: 100, offset: 0 };

beforeEach(async () => {
  await database.db("donate_items").delete();
  await database.db("settings").delete();
});

describe("a discount's period", () => {
  it.each([
    ["at the moment of its start", 0, 1, "running"],
    ["at the moment of its end", -1, 0, "past"],
    ["between both", -1, 1, "running"],
    ["a millisecond before its start", 0.001 / 3600, 1, "coming"],
    ["a millisecond before its end", -1, 0.001 / 3600, "running"],
    ["with an open end", -1000, null, "running"],
    ["in the future with an open end", 1, null, "coming"],
  ])("%s", async (_case, starts, ends, phase) => {
    // Within one transaction the database's clock stands still, so a boundary can be met exactly.
    const db = await openTransaction(database.db);
    await addItem(db, { id: "item" });
    await addDiscount(db, { id: "d", item_key: "item", percent: "20", starts, ends });
    const [discount] = await listDiscountsOf(db, "item");
    expect(discount?.phase).toBe(phase);
    const runs = phase === "running";
    expect((await listActiveDiscounts(db)).length).toBe(runs ? 1 : 0);
    expect((await findShopItem(db, "item"))?.sale?.newPrice).toBe(runs ? "8.00" : undefined);
  });
});

describe("the shop", () => {
  it("can be ordered by what things cost now, each currency for itself and what has no price last", async () => {
    await addItem(database.db, { id: "dear", price: "30" });
    await addItem(database.db, { id: "halved", price: "40" });
    await addItem(database.db, { id: "cheap", price: "10" });
    await addItem(database.db, { id: "free of price", price: null });
    await addItem(database.db, { id: "new price", price: null });
    await addItem(database.db, { id: "coins", price: "1", currency: "COINS" });
    await addDiscount(database.db, { id: "half", item_key: "halved", percent: "50" });
    await addDiscount(database.db, { id: "later", item_key: "dear", price: "1", starts: 1, ends: 2 });
    await addDiscount(database.db, { id: "set", item_key: "new price", price: "25" });
    const keys = async (sort: ShopSort, sale = false) =>
      (await listShopItems(database.db, { sale }, sort, ALL, "en")).map((item) => item.key);
    const rising = ["cheap", "halved", "new price", "dear"];
    expect(await keys("cheapest")).toEqual(["coins", ...rising, "free of price"]);
    expect(await keys("dearest")).toEqual(["coins", ...rising.toReversed(), "free of price"]);
    expect(await keys("name", true)).toEqual(["halved", "new price"]);
    await database.db("donate_items").where({ id: "dear" }).update({ updated_at: "2126-01-01T00:00:00Z" });
    expect((await keys("newest"))[0]).toBe("dear");
  });

  it("lists items without a price last, whatever they are called", async () => {
    await addItem(database.db, { id: "1", name: "Apple", price: null });
    await addItem(database.db, { id: "2", name: "Bread", price: "3" });
    await addItem(database.db, { id: "3", name: "Cider", price: null });
    await addDiscount(database.db, { id: "set", item_key: "3", price: "25" });
    const items = await listShopItems(database.db, {}, "sale", ALL, "en");
    expect(items.map((item) => item.name)).toEqual(["Cider", "Bread", "Apple"]);
  });
});

describe("active discounts", () => {
  it("tell old and new price as decimal texts, and the price that holds now", async () => {
    await addItem(database.db, { id: "gold", name: "Gold", price: "9.99", currency: "COINS" });
    const quarter = { id: "quarter", item_key: "gold", title: "Autumn" };
    await addDiscount(database.db, { ...quarter, percent: "25", ends: 1 });
    await addDiscount(database.db, { id: "fixed", item_key: "gold", price: "6.99", ends: 2 });
    const discounts = await listActiveDiscounts(database.db);
    const prices = { old_price: "9.99", current_price: "6.99" };
    expect(discounts).toMatchObject([
      { ...quarter, percent: "25.00", new_price: "7.49", ...prices },
      { id: "fixed", title: null, percent: null, new_price: "6.99", ...prices },
    ]);
    for (const discount of discounts) {
      expect(discount).toMatchObject({ item_key: "gold", item_name: "Gold", currency: "COINS" });
      expect(discount.ends_at).toBeInstanceOf(Date);
      expect(discount).not.toHaveProperty("price");
    }
  });

  it("leave the price open where nobody knows it", async () => {
    await addItem(database.db, { id: "item", price: null });
    await addDiscount(database.db, { id: "d", item_key: "item", percent: "25" });
    expect(await listActiveDiscounts(database.db)).toMatchObject([
      { old_price: null, new_price: null, current_price: null },
    ]);
  });
});

describe("the time of the last change", () => {
  const long = { created_at: "2020-01-01T00:00:00Z", updated_at: "2020-01-01T00:00:00Z" };
  const changed = () => discountsChangedAt(database.db);
  const discount = (id: string, starts: number, ends: number | null, item_key = "item") =>
    addDiscount(database.db, { id, item_key, percent: "10", starts, ends, ...long });

  beforeEach(() => addItem(database.db, { id: "item", ...long }));

  it("is a removal, which leaves no row to tell it", async () => {
    await discount("a", -5, 5);
    const before = await databaseClock(database.db);
    await database.db("discounts").where({ id: "no such" }).delete();
    expect((await changed())?.getTime()).toBeLessThan(before.getTime());
    await database.db("discounts").where({ id: "a" }).delete();
    expect((await changed())?.getTime()).toBeGreaterThanOrEqual(before.getTime());
  });

  it("is a change of an item only where a discount of it runs", async () => {
    const before = await databaseClock(database.db);
    await addItem(database.db, { id: "other" });
    await discount("over", -9, -8, "other");
    await discount("a", -5, 5);
    expect((await changed())?.getTime()).toBeLessThan(before.getTime());
    await database.db("donate_items").where({ id: "item" }).update({ updated_at: database.db.fn.now() });
    expect((await changed())?.getTime()).toBeGreaterThanOrEqual(before.getTime());
  });
});
