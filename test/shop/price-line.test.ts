import request from "supertest";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { PriceStep } from "../../src/shop/price-history.ts";
import { drawPriceLine } from "../../src/shop/shop-page.ts";
import { listShopItems } from "../../src/shop/shop-queries.ts";
import { formatFor } from "../../src/web/request/format.ts";
import { translate } from "../../src/words/i18n/translate.ts";
import { useTestApp } from "../helpers/app.ts";
import { openTransaction } from "../helpers/database.ts";
import { addDiscount, addItem } from "../helpers/donate.ts";
import { attributes, plainSpaces } from "../helpers/html.ts";

const site = useTestApp();
const DAY_MS = 24 * 3_600_000;
const locale = { t: translate("en"), format: formatFor("en") };

/** Steps of days from 0 on, each with its price. */
function stepsOf(...days: [number, string | null][]): PriceStep[] {
  let at = 0;
  return days.map(([length, price]) => {
    const from = new Date(at * DAY_MS);
    at += length;
    const rest = { currency: "EUR", title: null, titles: null, demo: false, isDiscounted: false };
    return { from, to: new Date(at * DAY_MS), price, regular: price, ...rest };
  });
}

const pathOf = (svg: string | undefined) => attributes(svg ?? "", "d")[0];

describe("the small line of a price", () => {
  it("goes down where the price does, and says between what", () => {
    const svg = drawPriceLine(stepsOf([45, "10.00"], [45, "5.00"]), locale);
    expect(pathOf(svg)).toBe("M0 3H45V29H90");
    expect(plainSpaces(svg ?? "")).toContain('aria-label="Price over 90 days: 5.00 EUR to 10.00 EUR"');
  });

  it("has a gap where no price was known", () => {
    const svg = drawPriceLine(stepsOf([30, "10.00"], [30, null], [30, "5.00"]), locale);
    expect(pathOf(svg)).toBe("M0 3H30M60 29H90");
  });

  it("is not there for a price that never changed, or is not known", () => {
    expect(drawPriceLine(stepsOf([90, "10.00"]), locale)).toBeUndefined();
    expect(drawPriceLine(stepsOf([45, null], [45, "10.00"]), locale)).toBeUndefined();
    expect(drawPriceLine([], locale)).toBeUndefined();
  });

  it("is on the card of an item whose price changed in 90 days, discounts included", async () => {
    await addItem(site.db, { id: "still" });
    await addItem(site.db, { id: "sale" });
    await addItem(site.db, { id: "old" });
    await site.db("price_versions").update({ valid_from: site.db.raw("now() - interval '200 days'") });
    await addDiscount(site.db, { id: "s", item_key: "sale", percent: "50", starts: -45 * 24, ends: 24 });
    await addDiscount(site.db, { id: "o", item_key: "old", percent: "50", starts: -3600, ends: -2400 });
    const { text } = await request(site.app).get("/donate").expect(200);
    const cards = text.split('<li class="card is-link shop-card">').slice(1);
    const lines = cards.map((card) => [
      attributes(card, "href").find((href) => href.startsWith("/donate/")),
      /price-line/.test(card),
    ]);
    expect(Object.fromEntries(lines)).toEqual({
      "/donate/still": false,
      "/donate/sale": true,
      "/donate/old": false,
    });
    const d = pathOf(/<svg class="sparkline price-line".*?<\/svg>/.exec(text)?.[0]);
    expect(d).toMatch(/^M0 3H45(\.\d)?V29H90$/);
  });

  it("knows of a discount that has just begun, as the price beside it does, whatever the process takes for the time", async () => {
    const transaction = await openTransaction(site.db);
    await addItem(transaction, { id: "now" });
    await transaction("price_versions").update({ valid_from: transaction.raw("now() - interval '2 days'") });
    await addDiscount(transaction, { id: "now", item_key: "now", percent: "50", starts: 0 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - DAY_MS });
    onTestFinished(() => void vi.useRealTimers());
    const [item] = await listShopItems(transaction, { keys: ["now"] }, "name", { limit: 1, offset: 0 }, "en");
    expect(item?.sale?.newPrice).toBe("5.00");
    expect(item?.steps.at(-1)?.price).toBe("5.00");
  });
});
