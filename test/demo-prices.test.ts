import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { loadDemo } from "../src/demo/load.ts";
import { describeHistory } from "../src/donate/history-panel.ts";
import { formatFor } from "../src/http/format.ts";
import { translate } from "../src/i18n/translate.ts";
import { useTestApp } from "./helpers/app.ts";
import { addDiscount, addItem } from "./helpers/donate.ts";
import { textOf } from "./helpers/html.ts";

const site = useTestApp();
const locale = { language: "en", t: translate("en"), format: formatFor("en") } as const;

describe("the prices of the demo", () => {
  beforeAll(async () => {
    await loadDemo(site.db);
  });

  it("were higher before each discount that runs", async () => {
    const items = await site
      .db("discounts")
      .join("donate_items as item", "item.id", "item_key")
      .whereRaw("starts_at <= now() and (ends_at is null or ends_at > now())")
      .distinct("item.id as key", "item.name", "item.price");
    expect(items.length).toBeGreaterThan(5);
    for (const item of items) {
      const history = await describeHistory(site.db, item, new Date(), locale);
      expect(history?.chart, item.key).toBeDefined();
      expect(history?.steps.at(-1), item.key).toMatchObject({ price: item.price, isDiscounted: false });
    }
  });

  it("say in Russian what is sold", async () => {
    const { text: page } = await request(site.app).get("/ru/donate/vip-gold").expect(200);
    expect(page).toContain("двойная зарплата по выходным");
    expect(page).not.toContain("double pay on weekends");
  });
});

describe("an item that was discounted from the beginning", () => {
  it("is not said to have had that price always", async () => {
    await addItem(site.db, { id: "begun" });
    await addDiscount(site.db, { id: "begun", item_key: "begun", percent: "10" });
    const page = textOf((await request(site.app).get("/donate/begun").expect(200)).text);
    expect(page).toContain("This discount has run for as long as the price is known");
    expect(page).not.toContain("has not changed");
  });
});
