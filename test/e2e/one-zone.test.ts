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
    ...options,
  });
  windows.set(key, page);
  return page;
}

const NO_SCRIPT: BrowserContextOptions = { javaScriptEnabled: false };

/** What each type of page shows with script and without, from one load of each. */
describe("a page", () => {
  it.each(PAGES)("has times of one zone, and nothing that only a script makes work: $name", async (type) => {
    const [scripted, plain] = [await windowOf(type.reader, {}), await windowOf(type.reader, NO_SCRIPT)];
    await scripted.goto(type.path);
    await plain.goto(type.path);
    expect(inOtherZones(await textsOf(scripted), "UTC+3"), "the browser's zone").toEqual([]);
    expect(inOtherZones(await textsOf(plain), "UTC"), "without script").toEqual([]);
    expect(await plain.evaluate(readHeadings)).toEqual(await scripted.evaluate(readHeadings));
    expect((await plain.evaluate(findUseless)).join("\n")).toBe("");
  });
});

describe("the times of a page without script", () => {
  it.each(PAGES)("are all of the zone that a user has chosen: $name", async ({ path }) => {
    const page = await windowOf("operator", NO_SCRIPT);
    await site.database.db("users").where({ name: "keeper" }).update({ time_zone: "Asia/Kathmandu" });
    // No script runs in it, so that it is the markup alone.
    const answer = await page.request.get(path);
    await site.database.db("users").where({ name: "keeper" }).update({ time_zone: null });
    expect(inOtherZones(await textsOf(page, await answer.text()), "UTC+5:45")).toEqual([]);
  });
});

function inOtherZones(texts: readonly string[], zone: string): string[] {
  return texts.filter((text) => zonesIn([text]).some((named) => named !== zone));
}

/** Runs in the page: the headings that are seen, in their order. */
function readHeadings(): string[] {
  return [...document.querySelectorAll<HTMLElement>("main :is(h1, h2, h3)")]
    .filter((heading) => heading.checkVisibility())
    .map(({ innerText }) => innerText);
}

/** Runs in the page: what somebody sees and cannot use, unless a script helps. */
function findUseless(): string[] {
  const seen = <E extends Element>(selector: string) =>
    [...document.querySelectorAll<E & HTMLElement>(selector)].filter((element) => element.checkVisibility());
  const sends = (form: HTMLFormElement) =>
    [...form.elements].some(
      (control) => control.matches("button:not([type=button])") && control.checkVisibility(),
    );
  const isNowhere = ({ hash }: HTMLAnchorElement) => hash !== "" && !document.getElementById(hash.slice(1));
  const useless: Element[] = [
    ...seen("button[type=button], button:not([form]):not(form button)"),
    ...seen<HTMLFormElement>("form").filter((form) => !sends(form)),
    ...seen("input, select, textarea").filter((control) => !(control as HTMLInputElement).form),
    ...seen<HTMLAnchorElement>(`a[href^="#"]`).filter(isNowhere),
  ];
  return useless.map((element) => element.outerHTML.slice(0, 200));
}

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
