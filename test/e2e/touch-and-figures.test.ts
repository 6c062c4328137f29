import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";
import { PAGE_TYPES } from "../helpers/page-types.ts";

const site = useBrowserSite();

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const TABLET = { ...PHONE, viewport: { width: 1180, height: 820 } };

const shownKeys = (page: Page) =>
  page.locator("kbd, .search-keys, .suggestions kbd").filter({ visible: true }).allTextContents();

describe("keys of a keyboard", () => {
  it.each([
    ["a phone", PHONE],
    ["a tablet", TABLET],
  ])("are not named on %s", async (_name, options) => {
    const { page, context } = await site.visit(options);
    for (const { path } of PAGE_TYPES.filter(
      ({ reader, name }) => reader === "visitor" && !name.startsWith("docs"),
    )) {
      await page.goto(path);
      expect(await shownKeys(page), path).toEqual([]);
    }
    await context.close();
  });

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
