import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import type { Language } from "../../src/i18n/languages.ts";
import { useBrowserSite } from "../helpers/browser.ts";
import { PAGE_TYPES, type PageType } from "../helpers/page-types.ts";
import { faultsOfFirstContent } from "./content-first.ts";
import { faultsByAxe, faultsOfHeadings, faultsOfHtml, faultsOfReflow, shiftsOf } from "./page-faults.ts";
import { loadAnew, type ReaderWindow, useReaderWindows } from "./reader-windows.ts";
import { gotoSettled } from "./settled.ts";
import { brokenWords } from "./text-faults.ts";

/** A window in which each page is loaded, and the widths to which it is brought then. */
interface Loaded {
  readonly width: number;
  readonly reflow: readonly number[];
}

const DESKTOP = 1280;
const PHONE = 390;
export const ON_DESKTOP_AND_PHONE: readonly Loaded[] = [
  { width: DESKTOP, reflow: [DESKTOP] },
  { width: PHONE, reflow: [PHONE, 320] },
];
/** Enough for a translation, whose words may need more room: all else is the same in every language. */
export const ON_PHONE: readonly Loaded[] = [{ width: PHONE, reflow: [PHONE, 320, DESKTOP] }];

/** Holds every page type to what a page must be, in each of some languages. */
export function describePages(languages: readonly Language[], windowsToLoad: readonly Loaded[]): void {
  const site = useBrowserSite();
  const windows = useReaderWindows(site);
  // As on an evening: at other hours the demo servers have shorter figures.
  beforeAll(async () => {
    const { db } = site.database;
    const full = { online: db.ref("max_online"), queue: 137 };
    await db("servers").where({ status: "online" }).update(full);
  });

  // Side by side: a part of the time is waiting for the site.
  describe.each([...languages])("pages in %s", { concurrent: true }, (language) => {
    it.each(PAGE_TYPES)("$name", async (type) => {
      const window = await windows.take(type.reader);
      const faults: string[] = [];
      for (const [index, { width, reflow }] of windowsToLoad.entries()) {
        const isFirst = index === 0;
        await window.page.setViewportSize({ width, height: 844 });
        await loadAnew(window, isFirst);
        const source = await load(window, language, type);
        await loadAnew(window, false);
        if (isFirst) faults.push(...(await faultsOfHtml(source)));
        if (type.hasPictures && !source.includes(' src="/pictures/')) faults.push("no picture of the store");
        if (width === PHONE) faults.push(...(await faultsOfFirstContent(window.page, type.name)));
        for (const fault of await faultsAtWidth(window.page, reflow)) faults.push(`${width}: ${fault}`);
      }
      faults.push(...window.complaints.filter((text) => !isExpected(text, type)));
      await windows.giveBack(type.reader, window);
      // As one text, which a report shows whole.
      expect(faults.join("\n")).toBe("");
    });
  });
}

/** Resolves to the page's HTML as it was sent. */
async function load({ page }: ReaderWindow, language: Language, type: PageType): Promise<string> {
  if (type.name === "offline") await leaveUnanswered(page, type.path);
  const answer = await gotoSettled(page, `/${language}${type.path}`);
  expect(answer?.status()).toBe(type.status ?? 200);
  expect(await answer?.headerValue("content-language")).toBe(language);
  return (await answer?.text()) ?? "";
}

/** The offline page asks by HEAD whether the site is back, and would load itself anew in the middle of a check. */
async function leaveUnanswered(page: Page, path: string): Promise<void> {
  await page.route(
    (url) => url.pathname.endsWith(path),
    async (route) => {
      if (route.request().method() !== "HEAD") await route.continue();
    },
  );
}

async function faultsAtWidth(page: Page, reflow: readonly number[]): Promise<string[]> {
  const faults = [...(await faultsOfHeadings(page)), ...(await faultsByAxe(page))];
  // While axe was at work, what comes late had time to come; from here on the page moves because it is made to.
  faults.push(...(await shiftsEachTime(page)));
  faults.push(...(await brokenWords(page)));
  for (const width of reflow) {
    for (const fault of await faultsOfReflow(page, width)) faults.push(`at ${width}: ${fault}`);
  }
  return faults;
}

/**
 * What moves whenever the page is loaded. A font that comes between 50 and 100 ms after the page could be drawn may move
 * a line once: Chromium holds a page back for the first and takes an optional font until the second. A busy machine has
 * that now and then, and what the page itself moves, it moves each time.
 */
export async function shiftsEachTime(page: Page): Promise<string[]> {
  let shifts = await shiftsOf(page);
  for (let again = 0; shifts.length > 0 && again < 2; again++) {
    await gotoSettled(page, page.url());
    await page.waitForTimeout(1_000);
    shifts = await shiftsOf(page);
  }
  return shifts;
}

/** Chromium's console names an answer that is an error by itself. */
function isExpected(text: string, { status = 200 }: PageType): boolean {
  return status >= 400 && text.includes(`status of ${status}`);
}
