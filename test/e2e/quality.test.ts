import axe from "axe-core";
import { HtmlValidate } from "html-validate";
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { LANGUAGES } from "../../src/i18n/languages.ts";
import { useBrowserSite } from "../helpers/browser.ts";
import { PAGE_TYPES, type PageType, type Reader } from "../helpers/page-types.ts";
import { makeReaders } from "../helpers/readers.ts";

const site = useBrowserSite();
let readers: Record<Reader, BrowserContextOptions>;
beforeAll(async () => {
  readers = await makeReaders(site);
});

const WIDTHS = [1280, 390];
const SCHEMES = ["light", "dark"] as const;

/** What the HTML standard itself asks for. Source: https://html-validate.org/rules/presets.html */
const html = new HtmlValidate({
  extends: ["html-validate:standard", "html-validate:document"],
  // All assets are of this origin, so that nothing is there for a hash to protect from.
  rules: { "require-sri": "off", "doctype-style": "off" },
});

// Side by side: half of the time is waiting until nothing more is loaded.
describe.each([...LANGUAGES])("pages in %s", { concurrent: true }, (language) => {
  it.each(PAGE_TYPES)("$name", async (type) => {
    const { page, context, complaints } = await site.visit(readers[type.reader]);
    await watchShifts(context);
    const faults: string[] = [];
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 });
      const answer = await page.goto(`/${language}${type.path}`, { waitUntil: "networkidle" });
      expect(answer?.status()).toBe(type.status ?? 200);
      expect(await answer?.headerValue("content-language")).toBe(language);
      if (width === WIDTHS[0]) faults.push(...(await faultsOfHtml((await answer?.text()) ?? "")));
      for (const fault of await faultsAtThisWidth(page)) faults.push(`${width}: ${fault}`);
    }
    faults.push(...complaints.filter((text) => !isExpected(text, type)));
    await context.close();
    expect(faults).toEqual([]);
  });
});

async function faultsAtThisWidth(page: Page): Promise<string[]> {
  const faults = await shiftsOf(page);
  const { overflow, headings } = await page.evaluate(() => ({
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    headings: document.querySelectorAll("h1").length,
  }));
  if (overflow > 0) faults.push(`${overflow} pixels too wide`);
  if (headings !== 1) faults.push(`${headings} main headings`);
  await page.evaluate(axe.source);
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const fault of await faultsByAxe(page)) faults.push(`${colorScheme}: ${fault}`);
  }
  return faults;
}

/** Violations of WCAG 2.2 AA and of axe's good practices. */
async function faultsByAxe(page: Page): Promise<string[]> {
  const { violations } = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof import("axe-core") };
    return axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
      resultTypes: ["violations"],
    });
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ html: element, failureSummary = "" }) => `${id}: ${element.slice(0, 200)} ${failureSummary}`,
    ),
  );
}

async function faultsOfHtml(source: string): Promise<string[]> {
  const { results } = await html.validateString(source);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line }) => {
      const text = source.split("\n")[line - 1]?.trim().slice(0, 200);
      return `${ruleId}: ${message} (${text})`;
    }),
  );
}

/** Notes what moves on a page that nobody has touched. Source: https://web.dev/articles/cls */
async function watchShifts(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const shifts: string[] = [];
    Object.assign(window, { layoutShifts: shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as LayoutShift[]) {
        if (entry.hadRecentInput) continue;
        const moved = entry.sources.map(({ node }) =>
          node instanceof Element ? node.outerHTML : node?.textContent,
        );
        shifts.push(`moves by ${entry.value.toFixed(4)}: ${moved.join(" | ").slice(0, 300)}`);
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
}

/** What the observer above notes; the language's own library of types does not have it yet. */
interface LayoutShift extends PerformanceEntry {
  readonly value: number;
  readonly hadRecentInput: boolean;
  readonly sources: readonly { readonly node: Node | null }[];
}

function shiftsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => (window as unknown as { layoutShifts: string[] }).layoutShifts);
}

/** Chromium's console names an answer that is an error by itself. */
function isExpected(text: string, { status = 200 }: PageType): boolean {
  return status >= 400 && text.includes(`status of ${status}`);
}
