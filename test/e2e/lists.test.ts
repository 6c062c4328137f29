import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { BUILT_IN_KINDS } from "../../src/words/kinds/kinds.ts";
import { useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

const search = (page: Page) => page.locator("#list-q");
const rows = (page: Page) => page.locator(".entry-table tbody tr");
const announced = (page: Page) => page.locator("#list-status").textContent();
const seats = (page: Page) =>
  page.getByRole("group", { name: "Seats" }).getByRole("checkbox", { name: /^4\b/ });

describe("a list on a wide screen", () => {
  it("shows as many columns as fit without scrolling, and the one that it is sorted by", async () => {
    const { page } = await site.visit({ viewport: { width: 1280, height: 844 } });
    const table = page.locator(".table-scroll");
    // Its words are longer than English ones.
    for (const path of BUILT_IN_KINDS.map((kind) => `/ru/${kind}`)) {
      await page.goto(path);
      const overflow = await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
      expect(overflow, path).toBe(0);
      expect(await table.locator("thead th").count(), path).toBeGreaterThan(4);
    }
    await page.goto("/ru/vehicles?sort=-a.top_speed_kmh");
    await page.locator('th[aria-sort="descending"]', { hasText: "Максимальная скорость" }).waitFor();
  });
});

describe("a list filtered while somebody types", () => {
  it("follows a word that is still being composed, and does not touch the field", async () => {
    const { page, context } = await site.visit();
    await page.goto("/vehicles");
    await search(page).focus();
    await page.evaluate(() => Object.assign(window, { field: document.activeElement }));
    const keyboard = await context.newCDPSession(page);
    await keyboard.send("Input.imeSetComposition", { text: "infernus", selectionStart: 8, selectionEnd: 8 });
    await expect.poll(() => announced(page)).toBe("1 vehicle");
    expect(await page.evaluate(() => "field" in window && window.field === document.activeElement)).toBe(
      true,
    );
    await keyboard.send("Input.insertText", { text: "infernus" });
    await page.waitForTimeout(600);
    expect(await search(page).inputValue()).toBe("infernus");
    expect(await rows(page).count()).toBe(1);
  });

  it("shows the previous request on the way back, in its fields too", async () => {
    const { page } = await site.visit();
    await page.goto("/vehicles?q=cheetah");
    await search(page).fill("infernus");
    await expect.poll(() => page.url()).toContain("q=infernus");
    const price = page.getByRole("group", { name: "Price" }).getByLabel("From");
    await price.fill("10");
    await price.press("Enter");
    await page.waitForURL("**min.price=10**");
    await page.goBack();
    await expect.poll(() => price.inputValue()).toBe("");
    await page.goBack();
    await expect.poll(() => search(page).inputValue()).toBe("cheetah");
    expect(await rows(page).first().textContent()).toContain("Cheetah");
  });
});

describe("the buttons for what a list is filtered by", () => {
  const remove = (page: Page, filter: string) =>
    page.getByRole("button", { name: `Remove filter: ${filter}`, exact: true });
  const search = (page: Page) => new URL(page.url()).search;

  it("remove one in place, change the address, and come back on the way back", async () => {
    const { page, complaints } = await site.visit();
    await page.goto("/vehicles?a.seats=2&a.seats=4&q=e");
    await page.evaluate(() => Object.assign(window, { isSamePage: true }));
    await remove(page, "Seats: 4").click();
    await expect.poll(() => search(page)).toBe("?a.seats=2&q=e");
    expect(await page.evaluate(() => "isSamePage" in window)).toBe(true);
    expect(await seats(page).isChecked()).toBe(false);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("list-results");
    const category = page.getByRole("navigation", { name: "Categories" }).getByRole("button").nth(1);
    await category.click();
    await expect.poll(() => search(page)).toMatch(/^\?category=[^&]+&a\.seats=2&q=e$/);
    await page.goBack();
    await page.goBack();
    await expect.poll(() => seats(page).isChecked()).toBe(true);
    expect(complaints).toEqual([]);
  });

  it("work without script, and Enter in a field presses none of them", async () => {
    const { page } = await site.visit({ javaScriptEnabled: false });
    await page.goto("/vehicles?a.seats=2&a.seats=4");
    await remove(page, "Seats: 4").click();
    await page.waitForURL("**/vehicles?a.seats=2");
    await page.locator("#list-q").fill("cheetah");
    await page.locator("#list-q").press("Enter");
    await page.waitForURL("**q=cheetah**");
    expect(search(page)).toContain("a.seats=2");
    await page.getByRole("navigation", { name: "Categories" }).getByRole("button").nth(1).click();
    await page.waitForURL("**/vehicles?category=*");
    expect(search(page)).toContain("a.seats=2");
  });
});

describe("a list whose filter fails", () => {
  it("stays as it was without a network, can retry, and announces what is wrong with a field", async () => {
    const { page, context } = await site.visit();
    await page.goto("/vehicles");
    const before = await rows(page).count();
    await context.setOffline(true);
    await seats(page).check();
    await page.getByText("You’re offline, so the list hasn’t changed.").waitFor();
    expect(page.url()).toMatch(/\/vehicles$/);
    expect(await rows(page).count()).toBe(before);
    await context.setOffline(false);
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => announced(page)).toBe("48 vehicles");
    await page.getByText("You’re offline").waitFor({ state: "hidden" });
    await page.getByRole("group", { name: "Price" }).getByLabel("From").fill("cheap");
    await page.keyboard.press("Enter");
    await expect.poll(() => announced(page)).toMatch(/^Price: From: Enter a number/);
  });
});

describe("a main name in another language", () => {
  it.each([
    ["en-US", true, true],
    ["ru-RU", true, false],
    ["en-US", false, false],
  ])("is shown to who may know it: in %s, with script %s: %s", async (locale, javaScriptEnabled, isShown) => {
    const { page, complaints } = await site.visit({ locale, javaScriptEnabled });
    for (const path of ["/ru/vehicles?category=Sports+cars", "/ru/donate", "/ru/compare/vehicles?id=411"]) {
      await page.goto(path);
      const original = page.locator('.other-name[lang="en"]').first();
      expect(await original.isVisible(), path).toBe(isShown);
    }
    expect(complaints).toEqual([]);
  });

  it("is shown in the search box if it is what was typed", async () => {
    const { page } = await site.visit({ locale: "ru-RU" });
    await page.goto("/ru");
    const option = page.getByRole("option", { name: /Инфернус/ }).first();
    const originals = option.locator('.other-name[lang="en"]').filter({ visible: true });
    for (const [typed, shown] of [
      ["Инфернус", 0],
      ["infernus", 1],
    ] as const) {
      await page.locator("main input[type=search]").first().fill(typed);
      await option.waitFor();
      await expect.poll(() => originals.count(), { message: typed }).toBe(shown);
    }
  });
});
