import { describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

const asMarkup = (elements: Element[]) => elements.map((element) => element.outerHTML);

describe("a page on paper", () => {
  it.each([
    "/en/servers",
    "/en/servers/ls-one",
    "/en/compare/vehicles?id=411&id=415",
    "/ru/houses/map",
    "/ru/items/weapon-24",
    "/ru/donate/vip-gold",
  ])("%s is no wider than the paper, and shows nothing to press", async (path) => {
    const { page, context } = await site.visit({ viewport: { width: 700, height: 1000 } });
    await page.goto(path, { waitUntil: "networkidle" });
    await page.emulateMedia({ media: "print" });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(700);
    const controls = page.locator(":is(input, select, button, .button, .leaflet-control)");
    expect(await controls.count()).toBeGreaterThan(2);
    expect(await controls.filter({ visible: true }).evaluateAll(asMarkup)).toEqual([]);
    await context.close();
  });
});

describe("a map on paper", () => {
  it("is the whole map, whatever part the viewer sees", async () => {
    const { page, context } = await site.visit();
    await page.goto("/en/houses/map?at=house-1");
    await page.locator(".leaflet-popup").waitFor();
    expect(await page.locator(".map-picture").isVisible()).toBe(false);
    await page.emulateMedia({ media: "print" });
    expect(await page.locator(".map-view").isVisible()).toBe(false);
    const dots = page.locator(".map-picture .map-dots");
    expect(await dots.count()).toBeGreaterThan(0);
    expect(await dots.filter({ visible: true }).count()).toBe(await dots.count());
    await context.close();
  });
});

describe("a list on paper", () => {
  it("begins at the edge, where there is no box to tick", async () => {
    const { page, context } = await site.visit({ viewport: { width: 700, height: 1000 } });
    await page.goto("/en/vehicles");
    await page.emulateMedia({ media: "print" });
    const left = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => element.getBoundingClientRect().left);
    expect((await left(".entry-table tbody th .thumb")) - (await left(".entry-table"))).toBeLessThan(10);
    await context.close();
  });

  it.each(["/items", "/vehicles"])("%s has its rows, and nothing to press", async (path) => {
    const { page, context } = await site.visit();
    await page.goto(path);
    await page.emulateMedia({ media: "print" });
    const rows = page.locator(".entry-table tbody tr");
    expect(await rows.first().isVisible()).toBe(true);
    expect(await rows.last().isVisible()).toBe(true);
    const controls = page.locator("main :is(input, select, button, .compare-bar)");
    expect(await controls.count()).toBeGreaterThan(10);
    expect(await controls.filter({ visible: true }).count()).toBe(0);
    await context.close();
  });
});
