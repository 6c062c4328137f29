import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { HtmlValidate } from "html-validate";
import type { BrowserContext, Page } from "playwright-core";
import { gotoSettled } from "./settled.ts";
import { textOutOfBoxes } from "./text-faults.ts";

/** What the HTML standard itself asks for. Source: https://html-validate.org/rules/presets.html */
const html = new HtmlValidate({
  extends: ["html-validate:standard", "html-validate:document"],
  // All assets are of this origin, so that nothing is there for a hash to protect from.
  rules: {
    "require-sri": "off",
    "doctype-style": "off",
    // These search the whole document for each reference: half of the time of a long page. `faultsOfReferences` does not.
    "no-missing-references": "off",
    "valid-for": "off",
    // axe says this of the page as it is drawn.
    "input-missing-label": "off",
  },
});

/** Less than half as long as `axe.source`, and read again by every page. */
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What another width or language may change. */
const RULES_OF_LAYOUT = ["target-size", "scrollable-region-focusable", "valid-lang", "html-lang-valid"];
/** The rules that neither set has read markup alone, which is the same in every theme, width and language. */
const RULES = {
  all: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  looks: ["color-contrast", "link-in-text-block", ...RULES_OF_LAYOUT],
  layout: RULES_OF_LAYOUT,
};

export type Theme = "light" | "dark";

/** What the HTML that the site sent breaks of the standard. */
export async function faultsOfHtml(source: string): Promise<string[]> {
  const { results } = await html.validateString(source);
  const faults = results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line }) => {
      const text = source.split("\n")[line - 1]?.trim().slice(0, 200);
      return `${ruleId}: ${message} (${text})`;
    }),
  );
  return [...faults, ...faultsOfReferences(source)];
}

/** Ids that an attribute names and no element has, and labels of what takes none. */
function faultsOfReferences(source: string): string[] {
  const elements = new Map<string | undefined, string | undefined>();
  for (const [, element, id] of source.matchAll(/<([a-z][\w-]*)\s(?:[^<>]*\s)?id="([^"]+)"/g))
    elements.set(id, element);
  const faults: string[] = [];
  const references = source.matchAll(
    /\s(for|list|aria-(?:activedescendant|controls|describedby|details|errormessage|flowto|labelledby|owns))="([^"]+)"/g,
  );
  for (const [, attribute, ids = ""] of references) {
    for (const id of ids.split(/\s+/)) {
      const element = elements.get(id);
      if (element === undefined) faults.push(`${attribute} names "${id}", which no element has`);
      else if (attribute === "for" && !/^(button|input|meter|output|progress|select|textarea)$/.test(element))
        faults.push(`a label is for "${id}", a ${element}`);
    }
  }
  return faults;
}

/** Violations of WCAG 2.2 AA and of axe's good practices. The themes after the first are checked for looks only. */
export async function faultsByAxe(
  page: Page,
  themes: readonly Theme[] = ["light", "dark"],
  firstRules: keyof typeof RULES = "all",
): Promise<string[]> {
  await page.evaluate(AXE);
  const faults: string[] = [];
  for (const [at, colorScheme] of themes.entries()) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const found = await page.evaluate(findViolations, RULES[at === 0 ? firstRules : "looks"]);
    faults.push(...found.map((fault) => `${colorScheme}: ${fault}`));
  }
  return faults;
}

/**
 * Runs in the page, and takes elements that are alike out of the document meanwhile. axe spends as much time on each as
 * on the first. A page of hundreds took ten times as long as any other.
 */
async function findViolations(runOnly: string[]): Promise<string[]> {
  const { axe } = window as unknown as { axe: typeof import("axe-core") };
  const removed: [Comment, Element][] = [];
  removeAlike(document.body);
  const { violations } = await axe.run({ runOnly, resultTypes: ["violations"] });
  for (const [mark, element] of removed) mark.replaceWith(element);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = "" }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );

  /** Removes an element if every kind of element in it was in two elements before it, in the same parent. */
  function removeAlike(parent: Element): void {
    const seen = new Map<string, number>();
    for (const child of [...parent.children]) {
      const kinds = new Set<string>();
      collectKinds(child, "", kinds);
      if ([...kinds].every((kind) => (seen.get(kind) ?? 0) >= 2)) {
        const mark = document.createComment("");
        child.replaceWith(mark);
        removed.push([mark, child]);
        continue;
      }
      for (const kind of kinds) seen.set(kind, (seen.get(kind) ?? 0) + 1);
      removeAlike(child);
    }
  }

  function collectKinds(element: Element, above: string, kinds: Set<string>): void {
    const kind = `${above}>${kindOf(element)}`;
    kinds.add(kind);
    for (const child of element.children) collectKinds(child, kind, kinds);
  }

  /** Its name, whether it has text of its own, and its attributes: words as they are, only the names of ids and texts. */
  function kindOf(element: Element): string {
    const hasText = [...element.childNodes].some((node) => node instanceof Text && node.data.trim() !== "");
    const attributes = [...element.attributes].map(({ name, value }) =>
      name === "class" || (!/^value$|id$/.test(name) && /^[a-z-]{1,12}$/.test(value))
        ? `${name}=${value}`
        : name,
    );
    return `${element.tagName} ${hasText} ${attributes}`;
  }
}

/** A page has one heading with its subject. */
export async function faultsOfHeadings(page: Page): Promise<string[]> {
  const headings = await page.locator("h1").count();
  return headings === 1 ? [] : [`${headings} main headings`];
}

/** How readers have letters: twice as large (WCAG 2.2, 1.4.4), wide apart (1.4.12), or as they are. */
const LETTERS = {
  "of 200 %": "html { font-size: 200% !important }",
  "wide apart": `* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
    p { margin-bottom: 2em !important }`,
  "as they are": "",
};
export type Letters = keyof typeof LETTERS;
/** A page with room for these has room for letters as they are. */
export const LARGE_LETTERS = ["of 200 %", "wide apart"] as const satisfies Letters[];

/**
 * Whether the page must be scrolled sideways at a width, in CSS pixels, however readers have their letters: WCAG 2.2,
 * 1.4.10 (at 320 pixels). What scrolls in a box of its own, such as a table, may. Nor may text leave its box then.
 * The page keeps the width.
 */
export async function faultsOfReflow(
  page: Page,
  width: number,
  tried: readonly Letters[] = LARGE_LETTERS,
): Promise<string[]> {
  await page.setViewportSize({ width, height: 844 });
  const faults: string[] = [];
  for (const letters of tried) {
    const overflow = await page.evaluate(async (text) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      document.adoptedStyleSheets = [sheet];
      // Scripts that measure their box run before a page is drawn.
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
      return document.documentElement.scrollWidth - document.documentElement.clientWidth;
    }, LETTERS[letters]);
    if (overflow > 0) faults.push(`${overflow} pixels too wide with letters ${letters}`);
    // A figure or a date keeps its line: wide apart it reaches into the room before the next column, or the table scrolls.
    const inCells = letters !== "wide apart";
    for (const text of await textOutOfBoxes(page, { inCells }))
      faults.push(`${text} with letters ${letters}`);
  }
  await page.evaluate(() => {
    document.adoptedStyleSheets = [];
  });
  return faults;
}

/**
 * The smallest visible shift. The end of a line that moves by three pixels when a font arrives is a tenth of it. A
 * late line of text moves a page by two hundred times as much.
 */
const LEAST_SHIFT = 0.0001;

/** Notes what moves on a page that nobody has touched, for `shiftsOf`. Source: https://web.dev/articles/cls */
export async function watchShifts(context: BrowserContext): Promise<void> {
  await context.addInitScript((least) => {
    const shifts: string[] = [];
    Object.assign(window, { layoutShifts: shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as LayoutShift[]) {
        if (entry.hadRecentInput || entry.value < least) continue;
        const moved = entry.sources.map(({ node }) =>
          node instanceof Element ? node.outerHTML : node?.textContent,
        );
        shifts.push(`moves by ${entry.value.toFixed(4)}: ${moved.join(" | ").slice(0, 300)}`);
      }
    }).observe({ type: "layout-shift", buffered: true });
  }, LEAST_SHIFT);
}

/** What the observer above notes; the language's own library of types does not have it yet. */
interface LayoutShift extends PerformanceEntry {
  readonly value: number;
  readonly hadRecentInput: boolean;
  readonly sources: readonly { readonly node: Node | null }[];
}

export function shiftsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => (window as unknown as { layoutShifts: string[] }).layoutShifts);
}

/** Faults of a page that is loaded at a width, a phone's in the dark; its context is one that `watchShifts` watches. */
export async function faultsOfPage(page: Page, path: string, width: number): Promise<string[]> {
  await page.setViewportSize({ width, height: 844 });
  const answer = await gotoSettled(page, path);
  const faults = [
    ...(await shiftsOf(page)),
    ...(await faultsOfHtml((await answer?.text()) ?? "")),
    ...(await faultsOfHeadings(page)),
    ...(await faultsByAxe(page, [width < 640 ? "dark" : "light"])),
  ];
  for (const reflow of [width, 320]) faults.push(...(await faultsOfReflow(page, reflow)));
  return faults;
}
