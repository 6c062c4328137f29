import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";
import { addDiscount, addDonateItem, addServer } from "../helpers/things.ts";

const site = useBrowserSite();

/** Names as scripts have them, and worse: nothing in them at which a line could end. */
const LONG =
  "vehicle_speedometer_with_fuel_consumption_and_engine_temperature_hud_for_every_resolution_of_screens";
const CATEGORY = "Categories".repeat(8);
const RUSSIAN = "Сверхдлинноеназваниепредметабезединогопробелакотороенигденепереносится";

beforeAll(async () => {
  const { db } = site.database;
  const named = { name: LONG, names: JSON.stringify({ ru: RUSSIAN }), category: CATEGORY };
  for (const kind of ["items", "vehicles", "scripts", "houses", "businesses"]) {
    await db(kind).insert({
      ...named,
      id: "long",
      popularity: 1000,
      description: LONG,
      attributes: { [LONG]: LONG },
    });
  }
  await db("items")
    .update({ updated_at: db.raw("now()") })
    .where({ id: "long" });
  await addDonateItem(db, "long", { name: LONG, names: JSON.stringify({ ru: RUSSIAN }), description: LONG });
  await addDiscount(db, "long", "long", { title: LONG });
  await addServer(db, "long", {
    name: LONG,
    game: "SA-MP",
    position: 0,
    address: `${"host".repeat(20)}.invalid:7777`,
  });
});

describe("a name without a place to break a line", () => {
  let page: Page;
  beforeAll(async () => {
    ({ page } = await site.visit({ viewport: { width: 390, height: 844 } }));
  });

  it.each([
    "/",
    "/search?q=vehicle_speedometer",
    "/items",
    `/items?category=${CATEGORY}`,
    "/items/long",
    "/vehicles/long",
    "/houses/long",
    "/items/weapon-24",
    "/houses/map",
    "/compare/items?id=long&id=weapon-24",
    "/compare/items?q=vehicle_speedometer",
    "/donate",
    "/donate/long",
    "/servers",
    "/servers/long",
  ])("keeps %s within a phone's window", async (path) => {
    const answer = await page.goto(`/en${path}`);
    expect(answer?.status()).toBe(200);
    await page.evaluate(() => {
      for (const folded of document.querySelectorAll("main details")) folded.setAttribute("open", "");
    });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(390);
  });
});
