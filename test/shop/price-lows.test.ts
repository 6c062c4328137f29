import fc from "fast-check";
import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { loadPriceLows, loadPriorPrices } from "../../src/records/prices/price-lows.ts";
import { comparePrices } from "../../src/records/prices/prices.ts";
import { priceSteps } from "../../src/shop/price-history.ts";
import { loadPriceVersions } from "../../src/shop/price-history-queries.ts";
import { formatFor } from "../../src/web/request/format.ts";
import { useTestApp } from "../helpers/app.ts";
import { addDiscount, addItem, HOUR_MS } from "../helpers/donate.ts";
import { mainOf, plainSpaces, textOf } from "../helpers/html.ts";

const site = useTestApp();
const DAY = 24;
const { date } = formatFor("en");

beforeEach(async () => {
  await site.db("donate_items").delete();
});

/** A price that an item had, from so many days ago until so many days ago. */
type Was = [price: string | null, from: number, to: number | null, currency?: string];

/** Adds an item whose prices were these, the oldest first; the last is what it costs. */
async function addPriced(id: string, ...prices: Was[]): Promise<void> {
  const last = prices.at(-1);
  await addItem(site.db, { id, name: id, price: last?.[0] ?? null, currency: last?.[3] ?? "EUR" });
  await site.db("price_versions").where({ item_key: id }).delete();
  const ago = (days: number | null) =>
    days === null ? null : site.db.raw("now() - make_interval(days => ?)", [days]);
  for (const [price, from, to, currency = "EUR"] of prices) {
    await site
      .db("price_versions")
      .insert({ item_key: id, price, currency, valid_from: ago(from), valid_to: ago(to) });
  }
}

const lows = async (id: string) => {
  const found = (await loadPriceLows(site.db, [id])).get(id);
  return found && [found.ever.price, found.lately?.price];
};

async function shown(path: string): Promise<string> {
  return textOf(mainOf((await request(site.app).get(path).expect(200)).text)).replace(/\s+/g, " ");
}

const dayAgo = (days: number) => plainSpaces(date(new Date(Date.now() - days * DAY * HOUR_MS)));

describe("an item's lows", () => {
  it("are the lowest of all time and of the last 90 days, a price that reaches into them included", async () => {
    await addPriced("gold", ["5", 300, 200], ["9", 200, 80], ["10", 80, 40], ["12", 40, null]);
    expect(await lows("gold")).toEqual(["5.00", "9.00"]);
    const { ever, lately } = (await loadPriceLows(site.db, ["gold"])).get("gold") ?? {};
    expect(Math.round((Date.now() - Number(ever?.since)) / HOUR_MS / DAY)).toBe(300);
    expect(Math.round((Date.now() - Number(lately?.since)) / HOUR_MS / DAY)).toBe(200);
  });

  it("count discounts, rounded as they were, and those before the first known price", async () => {
    await addPriced("gold", ["9.99", 50, null]);
    await addDiscount(site.db, { id: "d", item_key: "gold", percent: "25", starts: -1440, ends: -1320 });
    await addDiscount(site.db, { id: "e", item_key: "gold", price: "8", starts: -9 * DAY, ends: -8 * DAY });
    expect(await lows("gold")).toEqual(["7.49", "7.49"]);
  });

  it("leave out what has not begun and what was withdrawn before it did", async () => {
    await addPriced("gold", ["12", 50, 20], ["10", 20, null]);
    await addDiscount(site.db, { id: "d", item_key: "gold", price: "1", starts: 5, ends: 9 });
    await site.db("discounts").delete();
    await addDiscount(site.db, { id: "e", item_key: "gold", price: "2", starts: 5, ends: 9 });
    expect(await lows("gold")).toEqual(["10.00", "10.00"]);
  });

  it("are in the currency of now", async () => {
    await addPriced("gold", ["1", 300, 200, "USD"], ["10", 200, 100], ["12", 100, null]);
    expect(await lows("gold")).toEqual(["10.00", undefined]);
    await addPriced("changed", ["1", 300, 200, "USD"], ["10", 200, null]);
    expect(await lows("changed")).toBeUndefined();
  });

  it("are none where only one price is known, also under a discount or at times without a price", async () => {
    await addPriced("same", ["10", 300, null]);
    await addItem(site.db, { id: "begun" });
    await addDiscount(site.db, { id: "d", item_key: "begun", percent: "10" });
    await addItem(site.db, { id: "none", price: null });
    await addPriced("paused", ["10", 300, 200], [null, 200, 50], ["10", 50, null]);
    for (const id of ["same", "begun", "none", "paused", "unknown"])
      expect(await lows(id), id).toBeUndefined();
  });

  it("have none of the last 90 days where the price did not change in them", async () => {
    await addPriced("gold", ["5", 300, 200], ["9", 200, null]);
    expect(await lows("gold")).toEqual(["5.00", undefined]);
  });

  it("are none while prices are recorded for less than 30 days, whatever older discounts an import brings", async () => {
    await addItem(site.db, { id: "imported", price: "9.99" });
    await addDiscount(site.db, { id: "d", item_key: "imported", percent: "25", starts: -0.05 });
    await addDiscount(site.db, { id: "old", item_key: "imported", price: "3", starts: -900, ends: -800 });
    await addPriced("young", ["12", 29, 20], ["10", 20, null]);
    await addPriced("old", ["12", 31, 20], ["10", 20, null]);
    await addPriced("changed", ["1", 90, 29, "USD"], ["12", 29, 20], ["10", 20, null]);
    expect(await lows("imported")).toBeUndefined();
    expect(await lows("young")).toBeUndefined();
    expect(await lows("changed")).toBeUndefined();
    expect(await lows("old")).toEqual(["10.00", "10.00"]);
    expect(await shown("/donate/imported")).not.toContain("Lowest");
  });

  it("are found however many prices came after them", async () => {
    await addPriced("gold", ["2", 900, 800], ["10", 800, null]);
    await site.db("price_versions").whereNull("valid_to").delete();
    await site.db.raw(
      `insert into price_versions (item_key, price, currency, valid_from, valid_to)
       select 'gold', 10 + n, 'EUR', now() - make_interval(days => n),
              case when n > 1 then now() - make_interval(days => n - 1) end
         from generate_series(1, 800) as n`,
    );
    expect(await lows("gold")).toEqual(["2.00", "11.00"]);
  });

  it("are those of the chart, whatever prices and discounts there were", async () => {
    const days = fc.integer({ min: 1, max: 200 });
    const price = fc.option(fc.integer({ min: 1, max: 20 }).map(String), { freq: 6 });
    const sizes = { minLength: 1, maxLength: 5 };
    const prices = fc.uniqueArray(fc.tuple(days, price), { ...sizes, selector: ([day]) => day });
    const terms = fc.oneof(
      fc.integer({ min: 1, max: 99 }).map((percent) => ({ percent: `${percent}` })),
      fc.integer({ min: 1, max: 20 }).map((price) => ({ price: `${price}` })),
    );
    const discounts = fc.array(fc.tuple(days, fc.integer({ min: 1, max: 100 }), terms), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(prices, discounts, async (had, ran) => {
        await site.db("donate_items").delete();
        const inOrder = had.toSorted(([a], [b]) => b - a);
        const was = inOrder.map(([from, price], n): Was => [price, from, inOrder[n + 1]?.[0] ?? null]);
        await addPriced("any", ...was);
        for (const [n, [from, length, terms]] of ran.entries()) {
          const ends = (length - from) * DAY;
          await addDiscount(site.db, { id: `d${n}`, item_key: "any", starts: -from * DAY, ends, ...terms });
        }
        const now = new Date();
        const loaded = await loadPriceVersions(site.db, "any", new Date(0));
        const steps = priceSteps(loaded.prices, loaded.discounts, { since: new Date(0), until: now });
        const paid = steps.flatMap(({ price }) => (price === null ? [] : [price]));
        const found = await lows("any");
        const isRecorded = (inOrder[0]?.[0] ?? 0) >= 30;
        const lowest = isRecorded && new Set(paid).size > 1 ? paid.toSorted(comparePrices)[0] : undefined;
        expect(found?.[0]).toBe(lowest);
      }),
      { numRuns: 40 },
    );
  });
});

describe("the lowest price before a sale", () => {
  const prior = async (id: string) => (await loadPriorPrices(site.db, [id])).get(id);
  const sale = (item_key: string, days: number, terms: object = { price: "4" }) =>
    addDiscount(site.db, { id: `of-${item_key}`, item_key, starts: -days * DAY, ends: DAY, ...terms });

  it("is that of the 30 days before, a price that was raised for the sale included", async () => {
    await addPriced("raised", ["8", 90, 15], ["16", 15, null]);
    await sale("raised", 10, { percent: "50" });
    await addPriced("long-ago", ["5", 90, 45], ["9", 45, null]);
    await sale("long-ago", 10);
    expect(await prior("raised")).toBe("8.00");
    expect(await prior("long-ago")).toBe("9.00");
  });

  it("counts an earlier discount, rounded as it was, but not the one that runs", async () => {
    await addPriced("gold", ["9.99", 90, null]);
    const before = { item_key: "gold", percent: "25", starts: -30 * DAY, ends: -20 * DAY };
    await addDiscount(site.db, { id: "before", ...before });
    await sale("gold", 10);
    expect(await prior("gold")).toBe("7.49");
  });

  it("is of the time before the price fell, however long ago that was and whatever changed without another price", async () => {
    await addPriced("gold", ["7", 200, 150], ["10", 150, 30], ["12", 30, null]);
    await sale("gold", 130);
    await site.db("discounts").update({ ends_at: site.db.raw("now() + interval '9 days'") });
    expect(await prior("gold")).toBe("7.00");
  });

  it("starts over where a cheaper sale came between", async () => {
    await addPriced("gold", ["10", 200, null]);
    await sale("gold", 60);
    const flash = { item_key: "gold", price: "3", starts: -20 * DAY, ends: -19 * DAY };
    await addDiscount(site.db, { id: "flash", ...flash });
    expect(await prior("gold")).toBe("3.00");
  });

  it("is not known where prices were not recorded for 30 days by then, nor of an item without a sale", async () => {
    await addPriced("young", ["9", 39, null]);
    await sale("young", 10);
    await addPriced("old", ["9", 41, null]);
    await sale("old", 10);
    await addPriced("plain", ["9", 90, 5], ["7", 5, null]);
    const found = await Promise.all(["young", "old", "plain"].map(prior));
    expect(found).toEqual([undefined, "9.00", undefined]);
  });

  it("is shown on the item's page and in the shop, in both languages, and answered by the API", async () => {
    await addPriced("gold", ["8", 90, 15], ["16", 15, null]);
    await sale("gold", 10);
    await addPriced("plain", ["9", 90, null]);
    const said = "Lowest price in the 30 days before the discount: 8.00 EUR";
    expect(await shown("/donate/gold")).toContain(said);
    expect((await shown("/donate")).split(said)).toHaveLength(2);
    expect(await shown("/ru/donate/gold")).toContain("Самая низкая цена за 30 дней до скидки: 8,00 EUR");
    const { agent } = await site.logIn();
    const { body } = await agent.get("/api/donate-items?sort=id").expect(200);
    const discounts = body.records.map(({ discount }: { discount: object | null }) => discount);
    expect(discounts).toMatchObject([{ price: "4.00", prior_price: "8.00" }, null]);
    await addPriced("young", ["9", 20, null]);
    await sale("young", 10);
    const { body: young } = await agent.get("/api/donate-items/young").expect(200);
    expect(young.discount.prior_price).toBeNull();
  });
});

describe("beside a price", () => {
  beforeEach(async () => {
    await addPriced("Above", ["5", 300, 200], ["9", 200, 80], ["10", 80, 40], ["12", 40, null]);
    await addPriced("Lately", ["5", 300, 200], ["12", 200, 50], ["9", 50, null]);
    await addPriced("Ever", ["12", 300, null]);
    await addDiscount(site.db, { id: "d", item_key: "Ever", percent: "50" });
    await addPriced("Same", ["12", 300, null]);
  });

  it("an item's page says the lows with their days, or that the price is at one", async () => {
    const above = await shown("/donate/Above");
    expect(above).toContain(`Lowest ever: 5.00 EUR, ${dayAgo(300)}`);
    expect(above).toContain(`Lowest in 90 days: 9.00 EUR, ${dayAgo(200)}`);
    const lately = await shown("/donate/Lately");
    expect(lately).toContain(`9.00 EUR Lowest in 90 days Lowest ever: 5.00 EUR, ${dayAgo(300)}`);
    const ever = await shown("/donate/Ever");
    expect(ever).toMatch(
      /now 6\.00 EUR .* left \) Lowest price in the 30 days [^:]+: 12\.00 EUR Lowest price ever Favorite/,
    );
    expect(ever).not.toContain("Lowest ever");
    expect(await shown("/donate/Same")).not.toContain("Lowest");
    expect(await shown("/ru/donate/Ever")).toContain("Исторический минимум");
    expect(await shown("/ru/donate/Above")).toContain("Минимум за 90 дней: 9,00 EUR");
  });

  it("a card of the shop says the same in short", async () => {
    const shop = await shown("/donate?sort=name");
    expect(shop.match(/Lowest (?:price ever|in 90 days:?|ever: [\d.]+ EUR)/g)).toEqual([
      "Lowest ever: 5.00 EUR",
      "Lowest price ever",
      "Lowest in 90 days",
      "Lowest ever: 5.00 EUR",
    ]);
  });
});
