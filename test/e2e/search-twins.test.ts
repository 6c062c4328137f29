import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { searchBox, visitBox } from "../helpers/search-box.ts";

const site = useBrowserSite();

const PATHS = ["/vehicles/411", "/items/infernus-toy"] as const;

beforeAll(async () => {
  await insertRecords(site.database.db, "items", [{ id: "infernus-toy", name: "Infernus" }]);
});

const optionTo = (page: Page, path: string) => page.locator(`[role=option][href$="${path}"]`);

/** Types the name, goes down to the option of a page by arrows, and opens it. */
async function openByArrows(page: Page, input: Locator, path: string): Promise<void> {
  await input.fill("infernus");
  await Promise.all(PATHS.map((each) => optionTo(page, each).waitFor()));
  const target = await optionTo(page, path).getAttribute("id");
  for (let press = 0; press < 10; press++) {
    if ((await input.getAttribute("aria-activedescendant")) === target) break;
    await input.press("ArrowDown");
  }
  expect(await input.getAttribute("aria-activedescendant")).toBe(target);
  await input.press("Enter");
  await page.waitForURL(`**${path}`);
}

describe("a name that two kinds have", () => {
  it.each([
    [PATHS[0], PATHS[1]],
    [PATHS[1], PATHS[0]],
  ])("opens %s by arrows and Enter, and the other is still found", async (first, second) => {
    const { page, context, input } = await visitBox(site, "/en/servers");
    await openByArrows(page, input, first);
    const next = searchBox(page);
    await next.focus();
    await optionTo(page, first).waitFor();
    await openByArrows(page, next, second);
    // Recent results show their kind.
    await next.focus();
    const kinds = page.getByRole("group", { name: "Recent" }).locator(".hit-place");
    await expect.poll(async () => (await kinds.allTextContents()).sort()).toEqual(["Items", "Vehicles"]);
    await context.close();
  });
});
