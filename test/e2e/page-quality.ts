import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import type { Language } from "../../src/words/i18n/languages.ts";
import { useBrowserSite } from "../helpers/browser.ts";
import { PAGE_TYPES, type PageType } from "../helpers/page-types.ts";
import { faultsOfFirstContent } from "./content-first.ts";
import { foreignTexts } from "./foreign-texts.ts";
import {
  faultsByAxe,
  faultsOfHeadings,
  faultsOfHtml,
  faultsOfReflow,
  LARGE_LETTERS,
  type Letters,
  shiftsOf,
} from "./page-faults.ts";
import { loadAnew, type ReaderWindow, useReaderWindows } from "./reader-windows.ts";
import { gotoSettled } from "./settled.ts";
import { textsOf, timesOutside } from "./shown-times.ts";
import { brokenWords } from "./text-faults.ts";
import { faultsWithoutScript } from "./without-script.ts";

/** How a language's pages are loaded, and what they are resized to, last to what they were: a width, and letters there. */
interface Loaded {
  readonly width: number;
  readonly theme: "light" | "dark";
  readonly reflow: readonly (readonly [width: number, letters: readonly Letters[]])[];
}

const DESKTOP = 1280;
const PHONE = 390;
/** WCAG 2.2, 1.4.10. */
const NARROWEST = 320;

export const ON_DESKTOP: Loaded = {
  width: DESKTOP,
  theme: "light",
  // Words are longest in another language, which is tried at the other widths.
  reflow: [[DESKTOP, LARGE_LETTERS]],
};
export const ON_PHONE: Loaded = {
  width: PHONE,
  theme: "dark",
  reflow: [
    [DESKTOP, ["as they are"]],
    [NARROWEST, LARGE_LETTERS],
    // A page that fits with large letters at the width before fits with letters as they are.
    [PHONE, []],
  ],
};

/** Made of the same parts as a type that is not here. Like variants, they are checked on a phone, with all rules. */
const ON_PHONE_ALONE = new Set(
  `search-kind item-recipe item-missing register forgotten-password docs-api docs-errors price-alert
  suggest operator-deliveries operator-api-keys operator-record-remove operator-record-history operator-new-record
  operator-servers operator-server operator-new-import operator-person operator-audit-log
  operator-vocabulary-categories operator-vocabulary-new-kind operator-vocabulary-text`.split(/\s+/),
);

/**
 * Holds every page type to what a page must be. Each language has its width and its theme, because the markup is the
 * same in all. A language changes the length of words, and those are tried at every width.
 */
export function describePages(languages: readonly Language[], { width, theme, reflow }: Loaded): void {
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
    const onPhoneAlone = ({ name, isVariant }: PageType) => isVariant || ON_PHONE_ALONE.has(name);
    const types = PAGE_TYPES.filter((type) => width === PHONE || !onPhoneAlone(type));
    it.each(types)("have no fault on the type $name", async (type) => {
      const window = await windows.take(type.reader, theme);
      const { page } = window;
      await page.setViewportSize({ width, height: 844 });
      // A late font moves the same parts on all pages, and most on a narrow one.
      await loadAnew(window, width === PHONE && type.reader === "visitor" && !onPhoneAlone(type));
      const source = await load(window, language, type);
      await loadAnew(window, false);
      const faults = await faultsOfHeadings(page);
      // The markup is the same at every width.
      if (width === PHONE) faults.push(...(await faultsOfHtml(source)));
      if (type.hasPictures && !source.includes(' src="/pictures/')) faults.push("no picture of the store");
      faults.push(...timesOutside("UTC+3", await textsOf(page)));
      if (language === "ru") faults.push(...(await foreignTexts(page, type)));
      if (width === DESKTOP)
        faults.push(...(await windows.withoutScript(type.reader, (plain) => compare(plain, page))));
      // From here on the page moves because it is made to.
      faults.push(...(await shiftsEachTime(page)));
      if (width === PHONE) faults.push(...(await faultsOfFirstContent(page, type.name)));
      for (const [resized, letters] of reflow) {
        const found = await faultsOfReflow(page, resized, letters);
        if (resized !== NARROWEST) found.push(...(await brokenWords(page)));
        faults.push(...found.map((fault) => `at ${resized}: ${fault}`));
      }
      // A variant has one of the languages. The tests of the style sheets hold all colours in both themes.
      const rules = width === DESKTOP || onPhoneAlone(type) ? "all" : "layout";
      faults.push(...(await faultsByAxe(page, [theme], rules)));
      faults.push(...window.complaints.filter((text) => !isExpected(text, type)));
      // The window of the offline page still intercepts requests.
      if (type.name !== "offline") await windows.giveBack(type.reader, window);
      // One text, which a report shows whole.
      expect(faults.join("\n")).toBe("");
    });
  });
}

/** Loads the page again where no script runs. */
async function compare(plain: Page, page: Page): Promise<string[]> {
  await plain.goto(page.url());
  return faultsWithoutScript(plain, page);
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
