import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

describe("handing a page on", () => {
  it("copies its address and says so", async () => {
    const { page, context } = await visitEntry();
    await copyLink(page).click();
    expect(await message(page).innerText()).toContain("Link copied.");
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(new URL(copied).pathname).toMatch(/^(\/en)?\/vehicles\/411$/);
    expect(new URL(copied).origin).toBe(site.url);
    await context.close();
  });

  it("moves nothing on the page for its message", async () => {
    const { page, context } = await visitEntry();
    const before = await page.locator("main").boundingBox();
    await copyLink(page).click();
    await message(page).waitFor();
    expect(await page.locator("main").boundingBox()).toEqual(before);
    await context.close();
  });

  it("offers nothing without script", async () => {
    const { page, context } = await site.visit({ javaScriptEnabled: false });
    await page.goto("/en/vehicles/411");
    expect(await copyLink(page).count()).toBe(0);
    await context.close();
  });
});

describe("a message", () => {
  it("goes after eight seconds, and not while somebody is on it", async () => {
    const { page, context } = await visitEntry();
    await page.clock.install();
    await copyLink(page).click();
    await message(page).hover();
    await page.clock.runFor(30_000);
    expect(await message(page).count()).toBe(1);
    await page.mouse.move(5, 5);
    await page.clock.runFor(7500);
    expect(await message(page).count()).toBe(1);
    await page.clock.runFor(1000);
    expect(await message(page).count()).toBe(0);
    await context.close();
  });

  it("is reached by F8, and gives the focus back to where it was", async () => {
    const { page, context } = await visitEntry();
    await copyLink(page).press("Enter");
    await message(page).waitFor();
    await page.keyboard.press("F8");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Close");
    await page.keyboard.press("Escape");
    expect(await message(page).count()).toBe(0);
    expect(await copyLink(page).evaluate((button) => button === document.activeElement)).toBe(true);
    await context.close();
  });

  it("is one of three at most", async () => {
    const { page, context } = await visitEntry();
    for (let press = 0; press < 5; press += 1) await copyLink(page).click();
    await expect.poll(() => message(page).count()).toBe(3);
    await context.close();
  });
});

async function visitEntry() {
  const visit = await site.visit({ permissions: ["clipboard-read", "clipboard-write"] });
  await visit.page.goto("/en/vehicles/411", { waitUntil: "networkidle" });
  return visit;
}

function copyLink(page: Page) {
  return page.getByRole("button", { name: "Copy link" });
}

function message(page: Page) {
  return page.locator("[data-toast-message]");
}
