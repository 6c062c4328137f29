import type { Locator, Page } from "playwright-core";
import type { BrowserSite } from "./browser.ts";

/** The search box of a page, whichever place it has there. */
export function searchBox(page: Page): Locator {
  return page.getByRole("search").getByRole("combobox");
}

/** A new visitor at the search box of a page. */
export async function visitBox(
  site: BrowserSite,
  path: string,
  options?: Parameters<BrowserSite["visit"]>[0],
) {
  const visitor = await site.visit(options);
  await visitor.page.goto(path);
  return { ...visitor, input: searchBox(visitor.page) };
}

/** A new visitor of the home page who has typed, all letters at once so that no answer to fewer is listed. */
export async function visitAndType(site: BrowserSite, letters: string, found: string) {
  const visitor = await visitBox(site, "/");
  await visitor.input.fill(letters);
  const option = visitor.page.getByRole("option", { name: found }).first();
  await option.waitFor();
  return { ...visitor, option };
}
