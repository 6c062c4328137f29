import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { searchBox, visitAndType, visitBox } from "../helpers/search-box.ts";
import { faultsByAxe } from "./page-faults.ts";

const site = useBrowserSite();

beforeAll(async () => {
  const { db } = site.database;
  await db("servers")
    .where({ id: "ls-one" })
    .update({ status: "online", online: 375, queue: 0, max_online: 1000, checked_at: db.fn.now() });
  await db("servers").where({ id: "ls-two" }).update({ status: "offline", checked_at: db.fn.now() });
  await db("items").insert([
    { id: "ring-1", name: "Twin Ring", category: "Rings" },
    { id: "ring-2", name: "Twin Ring", category: "Rings" },
  ]);
  await db("vehicles").insert({ id: "ring-car", name: "Twin Ring" });
});

describe("the search box", () => {
  it("finds servers, places and the shop, each in its group, with room for others in the list", async () => {
    const { page, input } = await visitAndType(site, "los", "Los Santos One");
    const group = (name: string) => page.getByRole("group", { name }).getByRole("option");
    expect(await group("Servers").first().innerText()).toMatch(
      /Los Santos One\s+SA-MP · \s*playing now:\s+375 \/ 1,000/,
    );
    expect(await group("Servers").nth(1).innerText()).toContain("offline");
    expect(await group("Houses").count()).toBeGreaterThan(0);
    expect(await group("Businesses").count()).toBeGreaterThan(0);
    expect(await faultsByAxe(page)).toEqual([]);
    await input.fill("a");
    await page.getByRole("option", { name: "All results for “a”" }).waitFor();
    const groups = await page.locator(".suggestions [role=group]").count();
    expect(groups).toBeGreaterThan(5);
    const options = page.locator(".suggestions [role=group] [role=option]");
    expect(await options.count()).toBeLessThanOrEqual(2 * groups);
    await input.fill("vip");
    await page.getByRole("group", { name: "Shop" }).getByText("6.99 EUR").first().waitFor();
    await group("Shop").first().click();
    await page.waitForURL("**/donate/vip-*");
  });

  it("leads to pages of the site, in the reader's language", async () => {
    const { page, input } = await visitBox(site, "/ru/servers");
    await input.fill("генератор ников");
    await page.getByRole("option", { name: "Никнеймы" }).waitFor();
    await input.press("ArrowDown");
    await input.press("Enter");
    await page.waitForURL("**/ru/nicknames");
  });

  it("switches the theme without leaving the page, and from recent results", async () => {
    const { page, input } = await visitBox(site, "/vehicles/411?from=here");
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    await input.fill("dark theme");
    await page.getByRole("option", { name: "Dark theme" }).first().waitFor();
    await input.press("ArrowDown");
    await input.press("Enter");
    await expect.poll(theme).toBe("dark");
    expect(page.url()).toMatch(/\/vehicles\/411\?from=here$/);
    expect(await page.locator(".suggestions").isVisible()).toBe(false);
    await expect
      .poll(() => page.locator("form[role=search] [role=status]").textContent())
      .toBe("Done: Dark theme");
    await page.goto("/ru/servers");
    expect(await theme()).toBe("dark");
    await input.fill("светлая");
    await page.getByRole("option", { name: "Светлая тема" }).click();
    await expect.poll(theme).toBe("light");
    await input.fill("");
    await page.getByRole("group", { name: "Недавнее" }).getByRole("option", { name: "Тёмная тема" }).click();
    await expect.poll(theme).toBe("dark");
    expect(page.url()).toMatch(/\/ru\/servers$/);
    await page.goto("/#theme-system");
    expect(await theme()).toBeUndefined();
  });

  it("distinguishes records of one name, and opens the chosen one", async () => {
    const { page, input } = await visitAndType(site, "twin ring", "Twin Ring");
    const texts = await page.locator(".suggestions [role=group] [role=option] .hit-place").allInnerTexts();
    expect(texts).toEqual(["Items · Rings · ring-1", "Items · Rings · ring-2", "Vehicles"]);
    for (const [downs, path] of [
      [2, "/items/ring-2"],
      [3, "/vehicles/ring-car"],
    ] as const) {
      await page.goto("/");
      await input.fill("twin ring");
      // An opened result is listed under the same name until the answer arrives.
      await page.getByRole("option", { name: "ring-1" }).waitFor();
      for (let n = 0; n < downs; n++) await input.press("ArrowDown");
      await input.press("Enter");
      await page.waitForURL(`**${path}`);
    }
  });
});

describe("what was found", () => {
  it("has no choices that need a script without one", async () => {
    const { page } = await site.visit({ javaScriptEnabled: false });
    await page.goto("/search?q=dark+theme");
    expect(await page.getByRole("link", { name: "Dark theme" }).count()).toBe(0);
  });

  it("is a choice on the results page too", async () => {
    const { page } = await site.visit();
    await page.goto("/search?q=dark+theme");
    await page.locator("main").getByRole("link", { name: "Dark theme" }).click();
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
    expect(new URL(page.url()).search).toBe("?q=dark+theme");
  });
});

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

it("a name that two kinds have opens either by arrows and Enter, and both are recent results", async () => {
  const { page, input } = await visitBox(site, "/en/servers");
  const [first, second] = PATHS;
  await openByArrows(page, input, first);
  const next = searchBox(page);
  await next.focus();
  await optionTo(page, first).waitFor();
  await openByArrows(page, next, second);
  // Recent results show their kind.
  await next.focus();
  const kinds = page.getByRole("group", { name: "Recent" }).locator(".hit-place");
  await expect.poll(async () => (await kinds.allTextContents()).sort()).toEqual(["Items", "Vehicles"]);
});
