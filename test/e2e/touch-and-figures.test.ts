import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";
import { PAGE_TYPES } from "../helpers/page-types.ts";
import { foreignTexts } from "./foreign-texts.ts";

const site = useBrowserSite();

const shownKeys = (page: Page) =>
  page.locator("kbd, .search-keys, .suggestions kbd").filter({ visible: true }).allTextContents();

/**
 * Names, which nobody translates: of the site, of programs, of shops and models, of currencies beside an amount, of
 * the servers on the home page. Also the rest of a name beside the marked letters.
 */
const NAMES =
  /^((Los )?Santos (One|Two)|Los|SA-MP|San Andreas Brasil|Las Venturas Nights|Grove Role Play|Ciudad Libre|Wybrzeże|tomic|Almanac|API|ID|JavaScript|Lua|Pawn|Python|scripts\.example\.com|[\d\s,]+ EUR|[A-Z]{2,3}(-\d+)?)$/;

describe("a visitor's page in Russian, on a touch screen", () => {
  let visit: Awaited<ReturnType<typeof site.visit>>;
  beforeAll(async () => {
    visit = await site.visit({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  });

  it.each(PAGE_TYPES.filter(({ reader }) => reader === "visitor"))(
    "sets no cookie, names no key of a keyboard and has no label in English: $name",
    async ({ name, path }) => {
      const { page, context } = visit;
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto(`/ru${path}`);
      expect(await context.cookies()).toEqual([]);
      // The references of the API and of cards name what stands in code.
      if (name.startsWith("docs")) return;
      expect(await shownKeys(page), "on a phone").toEqual([]);
      await page.setViewportSize({ width: 1180, height: 820 });
      expect(await shownKeys(page), "on a tablet").toEqual([]);
      // Servers and nicknames are names themselves.
      if (!/^(server|nicknames)/.test(name)) expect(await foreignTexts(page, NAMES)).toEqual([]);
    },
  );
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
