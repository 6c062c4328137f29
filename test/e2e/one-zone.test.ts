import type { BrowserContextOptions, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";
import { PAGE_TYPES, type PageType, type Reader } from "../helpers/page-types.ts";
import { makeReaders } from "../helpers/readers.ts";
import { textsOf, zonesIn } from "./shown-times.ts";

const site = useBrowserSite();
let readers: Record<Reader, BrowserContextOptions>;
beforeAll(async () => {
  readers = await makeReaders(site);
});

/** The longer ranges of a server have axes and periods of their own. */
const PAGES: readonly PageType[] = [
  ...PAGE_TYPES,
  { name: "server-week", path: "/servers/ls-one?range=7d", reader: "visitor" },
  { name: "server-month", path: "/servers/ls-one?range=30d", reader: "visitor" },
];

const windows = new Map<string, Page>();

/** One window for each reader and way: to open one takes Chromium as long as a page does. */
async function windowOf(reader: Reader, options: BrowserContextOptions): Promise<Page> {
  const key = JSON.stringify([reader, options]);
  const known = windows.get(key);
  if (known) return known;
  const { page } = await site.visit({
    ...readers[reader],
    timezoneId: "Europe/Moscow",
    serviceWorkers: "block",
    ...options,
  });
  windows.set(key, page);
  return page;
}

describe("the times of a page", () => {
  it.each(PAGES)("are all of the reader's zone: $name", async ({ path, reader }) => {
    const page = await windowOf(reader, {});
    await page.goto(path);
    const texts = await textsOf(page);
    expect(texts.filter((text) => zonesIn([text]).some((zone) => zone !== "UTC+3"))).toEqual([]);
  });

  it.each(PAGES)("without script are all of UTC: $name", async ({ path, reader }) => {
    const page = await windowOf(reader, { javaScriptEnabled: false });
    await page.goto(path);
    const texts = await textsOf(page);
    expect(texts.filter((text) => zonesIn([text]).some((zone) => zone !== "UTC"))).toEqual([]);
  });

  it.each(PAGES)("without script are all of the zone that a user has chosen: $name", async ({ path }) => {
    const page = await windowOf("operator", { javaScriptEnabled: false });
    await site.database.db("users").where({ name: "keeper" }).update({ time_zone: "Asia/Kathmandu" });
    await page.goto(path);
    const texts = await textsOf(page);
    await site.database.db("users").where({ name: "keeper" }).update({ time_zone: null });
    expect(texts.filter((text) => zonesIn([text]).some((zone) => zone !== "UTC+5:45"))).toEqual([]);
  });
});

/** The labels of an axis with their places. */
function axisOf(page: Page): Promise<string[]> {
  return page
    .locator("svg.chart .chart-hour-label")
    .evaluateAll((labels) => labels.map((label) => `${label.getAttribute("x")} ${label.textContent}`));
}

describe.each(["/servers/ls-one", "/servers/ls-one?range=7d", "/donate/vip-gold"])(
  "the chart of %s",
  (path) => {
    it("has the axis that it says, on the screen, on paper and without script", async () => {
      const moscow = await windowOf("visitor", {});
      await moscow.goto(path);
      const utc = await windowOf("visitor", { javaScriptEnabled: false });
      await utc.goto(path);
      expect((await axisOf(moscow)).length).toBeGreaterThan(1);
      expect(await axisOf(moscow)).not.toEqual(await axisOf(utc));
      expect(await moscow.locator("[data-zone-note]").allTextContents()).toContainEqual(
        expect.stringMatching(/(Chart times are|Times) in Europe\/Moscow/),
      );
      expect(await utc.locator("[data-zone-note]").allTextContents()).toContainEqual(
        expect.stringMatching(/(Chart times are|Times) in UTC/),
      );
      await moscow.emulateMedia({ media: "print" });
      expect(await moscow.locator("svg.chart .chart-hour-label").first().isVisible()).toBe(true);
      await moscow.emulateMedia({ media: null });
    });

    it("marks the same moments for a reader whose browser is there and a user who has chosen that zone", async () => {
      const browser = await windowOf("visitor", { timezoneId: "Asia/Kathmandu" });
      await site.database.db("users").where({ name: "keeper" }).update({ time_zone: "Asia/Kathmandu" });
      const chosen = await windowOf("operator", { javaScriptEnabled: false });
      await Promise.all([browser.goto(path), chosen.goto(path)]);
      await site.database.db("users").where({ name: "keeper" }).update({ time_zone: null });
      const textOf = (labels: string[]) => labels.map((label) => label.replace(/^\S+ /, ""));
      expect(textOf(await axisOf(browser))).toEqual(textOf(await axisOf(chosen)));
    });
  },
);
