import type { BrowserContextOptions, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";
import { PAGE_TYPES, type Reader } from "../helpers/page-types.ts";
import { makeReaders } from "../helpers/readers.ts";

const site = useBrowserSite();
let readers: Record<Reader, BrowserContextOptions>;
beforeAll(async () => {
  readers = await makeReaders(site);
});

describe("a page with script blocked", () => {
  it.each(PAGE_TYPES)("has nothing that only a script makes work: $name", async ({ path, reader }) => {
    const plain = await readPage(await windowOf(reader, false), path);
    const scripted = await readPage(await windowOf(reader, true), path);
    expect(plain.headings).toEqual(scripted.headings);
    expect(plain.faults.join("\n")).toBe("");
  });
});

const windows = new Map<string, Page>();

/** One for each reader, with script or without: to open one takes Chromium as long as a page does. */
async function windowOf(reader: Reader, javaScriptEnabled: boolean): Promise<Page> {
  const key = `${reader} ${javaScriptEnabled}`;
  const options = { ...readers[reader], javaScriptEnabled, serviceWorkers: "block" } as const;
  const page = windows.get(key) ?? (await site.visit(options)).page;
  windows.set(key, page);
  return page;
}

interface Reading {
  /** The headings that are seen, in their order. */
  readonly headings: string[];
  readonly faults: string[];
}

async function readPage(page: Page, path: string): Promise<Reading> {
  await page.goto(path);
  return page.evaluate(read);
}

/** Runs in the page. A fault is what somebody sees and cannot use, unless a script helps. */
function read(): Reading {
  const seen = <E extends Element>(selector: string) =>
    [...document.querySelectorAll<E & HTMLElement>(selector)].filter((element) => element.checkVisibility());
  const outline = (element: Element) => element.outerHTML.slice(0, 200);
  const sends = (form: HTMLFormElement) =>
    [...form.elements].some(
      (control) => control.matches("button:not([type=button])") && control.checkVisibility(),
    );
  const isNowhere = ({ hash }: HTMLAnchorElement) => hash !== "" && !document.getElementById(hash.slice(1));
  return {
    headings: seen("main :is(h1, h2, h3)").map(({ innerText }) => innerText),
    faults: [
      ...seen<HTMLButtonElement>("button[type=button], button:not([form]):not(form button)").map(outline),
      ...seen<HTMLFormElement>("form")
        .filter((form) => !sends(form))
        .map(outline),
      ...seen("input, select, textarea")
        .filter((control) => !(control as HTMLInputElement).form)
        .map(outline),
      ...seen<HTMLAnchorElement>(`a[href^="#"]`).filter(isNowhere).map(outline),
    ],
  };
}
