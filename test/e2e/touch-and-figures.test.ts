import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

const shownKeys = (page: Page) =>
  page.locator("kbd, .search-keys, .suggestions kbd").filter({ visible: true }).allTextContents();

describe("a visitor's page on a touch screen", () => {
  it("sets no cookie and names no key of a keyboard", async () => {
    const { page, context } = await site.visit({ hasTouch: true, isMobile: true });
    for (const path of ["/", "/ru/search?q=gold", "/items", "/servers/ls-one", "/donate", "/houses/map"]) {
      for (const size of [
        { width: 390, height: 844 },
        { width: 1180, height: 820 },
      ]) {
        await page.setViewportSize(size);
        await page.goto(path);
        expect(await shownKeys(page), `${path} at ${size.width}`).toEqual([]);
      }
      expect(await context.cookies()).toEqual([]);
    }
    await context.close();
  });
});

describe("keys of a keyboard", () => {
  it("are named where there is a keyboard", async () => {
    const { page, context } = await site.visit();
    await page.goto("/");
    expect(await shownKeys(page)).toEqual(["/"]);
    await context.close();
  });
});

describe("the figures of a price", () => {
  const figuresOf = (page: Page, selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((price) => getComputedStyle(price).fontVariantNumeric);

  it("stand as the font has them in text, and below one another in a table", async () => {
    const { page, context } = await site.visit();
    await page.goto("/donate");
    expect(await figuresOf(page, ".shop .price")).toBe("normal");
    await page.goto("/donate/vip-gold");
    expect(await figuresOf(page, ".shop-price .price")).toBe("normal");
    expect(await figuresOf(page, ".price-figure ~ details td.num")).toBe("tabular-nums");
    await context.close();
  });
});

describe("the way into a server", () => {
  it("is the page's main button only while the server is online", async () => {
    const { db } = site.database;
    const { page, context } = await site.visit();
    const join = page.getByRole("link", { name: "Join server" });
    for (const status of ["online", "offline", "unknown"]) {
      await db("servers").where({ id: "ls-one" }).update({ status, url: "samp://127.0.0.1:7777" });
      await page.goto("/servers/ls-one");
      expect(await join.evaluate((link) => link.classList.contains("is-primary")), status).toBe(
        status === "online",
      );
    }
    await context.close();
  });
});
