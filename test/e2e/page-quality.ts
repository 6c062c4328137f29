import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import type { Language } from "../../src/words/i18n/languages.ts";
import { useBrowserSite } from "../helpers/browser.ts";
import { PAGE_TYPES, type PageType } from "../helpers/page-types.ts";
import { faultsOfFirstContent } from "./content-first.ts";
import { faultsByAxe, faultsOfHeadings, faultsOfHtml, faultsOfReflow, shiftsOf } from "./page-faults.ts";
import { loadAnew, type ReaderWindow, useReaderWindows } from "./reader-windows.ts";
import { gotoSettled } from "./settled.ts";
import { brokenWords } from "./text-faults.ts";

/** The width of the window that loads a page, and the widths that it is resized to. */
interface Loaded {
  readonly width: number;
  readonly reflow: readonly number[];
}

const DESKTOP = 1280;
const PHONE = 390;
export const ON_DESKTOP: Loaded = { width: DESKTOP, reflow: [DESKTOP, PHONE, 320] };
export const ON_PHONE: Loaded = { width: PHONE, reflow: [PHONE, 320, DESKTOP] };

/**
 * Holds every page type to what a page must be. Each language is loaded in one window: what a language changes is the
 * length of its words, and those are tried at every width.
 */
export function describePages(languages: readonly Language[], { width, reflow }: Loaded): void {
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
      const { page } = window;
      await page.setViewportSize({ width, height: 844 });
      await loadAnew(window, true);
      const source = await load(window, language, type);
      await loadAnew(window, false);
      const faults = [...(await faultsOfHtml(source)), ...(await faultsOfHeadings(page))];
      if (type.hasPictures && !source.includes(' src="/pictures/')) faults.push("no picture of the store");
      faults.push(...(await faultsByAxe(page)));
      // While axe was at work, what comes late had time to come; from here on the page moves because it is made to.
      faults.push(...(await shiftsEachTime(page)));
      faults.push(...(await faultsAtWidths(page, type, reflow)));
      faults.push(...window.complaints.filter((text) => !isExpected(text, type)));
      await windows.giveBack(type.reader, window);
      // One text, which a report shows whole.
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

/** The offline page polls by HEAD whether the site is back, and would reload itself in the middle of a check. */
async function leaveUnanswered(page: Page, path: string): Promise<void> {
  await page.route(
    (url) => url.pathname.endsWith(path),
    async (route) => {
      if (route.request().method() !== "HEAD") await route.continue();
    },
  );
}

/** What becomes of the page in windows of other widths. */
async function faultsAtWidths(page: Page, { name }: PageType, widths: readonly number[]): Promise<string[]> {
  const faults: string[] = [];
  for (const width of [DESKTOP, PHONE]) {
    await page.setViewportSize({ width, height: 844 });
    for (const fault of await brokenWords(page)) faults.push(`at ${width}: ${fault}`);
  }
  // That of a phone still.
  faults.push(...(await faultsOfFirstContent(page, name)));
  for (const width of widths) {
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
