import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { loadDemoOnce } from "../../src/commands/demo/load.ts";
import { loadPriceLows } from "../../src/records/prices/price-lows.ts";
import { comparePrices, discountedPrice } from "../../src/records/prices/prices.ts";
import { findShopItem, listDiscountsOf } from "../../src/records/prices/queries.ts";
import { describeHistory } from "../../src/shop/price-chart.ts";
import { formatFor } from "../../src/web/request/format.ts";
import { translate } from "../../src/words/i18n/translate.ts";
import { useTestApp } from "../helpers/app.ts";
import { createDemoDatabase } from "../helpers/database.ts";
import { mainOf, textOf } from "../helpers/html.ts";

const site = useTestApp({}, undefined, createDemoDatabase);
const locale = { language: "en", t: translate("en"), format: formatFor("en") } as const;
const DAY_MS = 24 * 3_600_000;

let keys: string[] = [];
const shown = new Map<string, Awaited<ReturnType<typeof read>>>();

beforeAll(async () => {
  keys = await site.db("donate_items").where({ demo: true }).orderBy("id").pluck("id");
  expect(keys).toHaveLength(36);
  for (const key of keys) shown.set(key, await read(key));
});

/** What an item's page shows: its text, and the records that it is made of. */
async function read(key: string) {
  const item = await findShopItem(site.db, key);
  if (!item) throw new Error(key);
  const discounts = (await listDiscountsOf(site.db, key)).filter(({ phase }) => phase !== "coming");
  const history = await describeHistory(site.db, item, new Date(), locale);
  const lows = (await loadPriceLows(site.db, [key])).get(key);
  const { text } = await request(site.app).get(`/donate/${key}`).expect(200);
  const steps = history?.steps.toReversed() ?? [];
  return { item, discounts, steps, lows, page: textOf(mainOf(text)) };
}

describe("the prices of the demo", () => {
  it("are those of a year, of most items with more than one", async () => {
    const changes = [];
    for (const [key, { steps }] of shown) {
      const days = (Date.now() - Number(steps[0]?.from)) / DAY_MS;
      expect([key, days > 360 && days < 366]).toEqual([key, true]);
      changes.push(steps.length - 1);
    }
    expect(changes.filter((count) => count > 2).length).toBeGreaterThan(25);
    expect(changes.filter((count) => count === 0).length).toBeGreaterThan(1);
  });

  it("tell one story on each page: price, discounts, history and lows", async () => {
    for (const [key, { item, discounts, steps, lows, page }] of shown) {
      const now = steps.at(-1);
      // The history ends with the price at the top of the page.
      expect([key, now?.price, now?.isDiscounted]).toEqual([
        key,
        item.sale?.newPrice ?? item.price,
        item.sale !== undefined,
      ]);
      expect([key, now?.regular]).toEqual([key, item.price]);
      const isUnchanged = /has not changed|hasn’t changed|for as long as the price is known/.test(page);
      expect([key, isUnchanged]).toEqual([key, discounts.length === 0 && steps.length === 1]);
      // Every discount that the page lists lowered the price while it ran, or another one went lower.
      for (const discount of discounts) {
        const within = steps.find(({ from, to }) => from <= discount.starts_at && to > discount.starts_at);
        const made = within && discountedPrice({ price: within.regular, currency: item.currency }, discount);
        const label = `${key} ${discount.id} ${within?.price} ${made}`;
        expect([label, within?.isDiscounted]).toEqual([label, true]);
        expect([label, comparePrices(within?.price ?? "0", made ?? "") <= 0]).toEqual([label, true]);
      }
      // And nothing is discounted in the history that no discount of the page explains.
      for (const step of steps.filter(({ isDiscounted }) => isDiscounted)) {
        const by = discounts.filter(
          ({ starts_at, ends_at }) => starts_at <= step.from && (ends_at === null || ends_at >= step.to),
        );
        expect([key, step.from, by.length > 0]).toEqual([key, step.from, true]);
      }
      const lowest = steps.flatMap(({ price }) => price ?? []).toSorted(comparePrices)[0];
      if (steps.length > 1) expect([key, lows?.ever.price]).toEqual([key, lowest]);
    }
  });

  it("say in Russian what is sold, and what its discounts are called", async () => {
    const { text: page } = await request(site.app).get("/ru/donate/vip-gold").expect(200);
    expect(page).toContain("двойная зарплата по выходным");
    expect(page).toContain("Золотые выходные");
    expect(page).not.toMatch(/double pay on weekends|Gold weekend|Golden days/);
  });
});

describe("a site that holds the demo of an earlier version", () => {
  const texts = () =>
    site.db("items").where({ demo: true }).orderBy("id").select("id", "descriptions", "revision");

  it("gets texts in Russian and the year of prices at its next start, of what nobody changed", async () => {
    const before = {
      items: await texts(),
      discounts: await site.db("discounts").orderBy("id").select("id", "title", "titles"),
      prices: await site.db("price_versions").orderBy(["item_key", "valid_from"]).select("item_key", "price"),
    };
    await site.db("items").update({ descriptions: "{}" });
    await site.db("servers").update({ descriptions: "{}" });
    await site.db("discounts").update({ titles: "{}" });
    await site.db("items").where({ id: "weapon-1" }).update({ description: "Ours now." });
    await site.db("discounts").whereRaw("ends_at < now() - interval '40 days'").delete();
    await site.db("discount_versions").whereNotNull("valid_to").delete();
    await site.db("price_versions").whereNotNull("valid_to").delete();
    await site.db("price_versions").update({ valid_from: site.db.raw("now()") });
    await site.db("donate_items").where({ id: "vip-gold" }).update({ price: "11.11" });
    const loadedBefore = () =>
      site
        .db("settings")
        .where({ key: "demo" })
        .update({ value: { state: "loaded" } });
    await loadedBefore();
    await loadDemoOnce(site.db);
    const changed = (await texts()).filter(
      (row, place) => JSON.stringify(row) !== JSON.stringify(before.items[place]),
    );
    expect(changed).toEqual([{ id: "weapon-1", descriptions: {}, revision: 1 }]);
    expect((await site.db("servers").where({ id: "ls-one" }).first("descriptions")).descriptions.ru).toMatch(
      /Русскоязычный/,
    );
    const ofOthers = (rows: { id?: string; item_key?: string }[]) =>
      rows.filter(({ id = "", item_key = "" }) => !`${id}${item_key}`.startsWith("vip-gold"));
    expect(ofOthers(await site.db("discounts").orderBy("id").select("id", "title", "titles"))).toEqual(
      ofOthers(before.discounts),
    );
    const prices = await site
      .db("price_versions")
      .orderBy(["item_key", "valid_from"])
      .select("item_key", "price");
    expect(ofOthers(prices)).toEqual(ofOthers(before.prices));
    // Its price is the operator's, and so is its history.
    const own = await site.db("price_versions").where({ item_key: "vip-gold" }).count();
    expect(own).toEqual([{ count: 2 }]);
    await loadedBefore();
    await loadDemoOnce(site.db);
    expect(await site.db("price_versions").count()).toEqual([{ count: prices.length }]);
  });
});
