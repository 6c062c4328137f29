import type { BrowserContextOptions, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";
import type { Reader } from "../helpers/page-types.ts";
import { makeReaders } from "../helpers/readers.ts";

const site = useBrowserSite();
let readers: Record<Reader, BrowserContextOptions>;
beforeAll(async () => {
  readers = await makeReaders(site);
});

const windows = new Map<string, Page>();

/** One window for each reader and way: to open one takes Chromium as long as a page does. */
async function windowOf(reader: Reader, options: BrowserContextOptions): Promise<Page> {
  const key = JSON.stringify([reader, options]);
  const known = windows.get(key);
  if (known) return known;
  const { page } = await site.visit({
    ...readers[reader],
    timezoneId: "Europe/Moscow",
    ...options,
  });
  windows.set(key, page);
  return page;
}

const NO_SCRIPT: BrowserContextOptions = { javaScriptEnabled: false };

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
      const utc = await windowOf("visitor", NO_SCRIPT);
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
      const chosen = await windowOf("operator", NO_SCRIPT);
      await Promise.all([browser.goto(path), chosen.goto(path)]);
      await site.database.db("users").where({ name: "keeper" }).update({ time_zone: null });
      const textOf = (labels: string[]) => labels.map((label) => label.replace(/^\S+ /, ""));
      expect(textOf(await axisOf(browser))).toEqual(textOf(await axisOf(chosen)));
    });
  },
);
