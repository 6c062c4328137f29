import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

describe("a page", () => {
  it("asks no other host for anything", async () => {
    const { page } = await site.visit();
    const hosts = new Set<string>();
    page.on("request", (request) => hosts.add(new URL(request.url()).origin));
    for (const path of ["/", "/items/weapon-24", "/servers/ls-one", "/donate"]) {
      await page.goto(path, { waitUntil: "networkidle" });
    }
    expect([...hosts]).toEqual([site.url]);
  });

  it("can be read from its beginning by keyboard: the first stop skips to the content", async () => {
    const { page } = await site.visit();
    await page.goto("/items");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
  });
});

const WIDE = { viewport: { width: 1280, height: 800 } };
const NARROW = { viewport: { width: 390, height: 844 } };

describe("the switch of day and night", () => {
  it("follows the system until somebody chooses, and keeps what they chose", async () => {
    const { page } = await site.visit({ ...WIDE, colorScheme: "dark" });
    await page.goto("/en/items");
    const night = await background();
    await page.getByRole("radio", { name: "Light" }).check();
    const day = await background();
    await page.goto("/en/donate");
    expect([day === night, await background()]).toEqual([false, day]);
    expect(await page.getByRole("radio", { name: "Light" }).isChecked()).toBe(true);

    await page.getByRole("radio", { name: "System" }).check();
    expect(await background()).toBe(night);
    expect(await page.evaluate(() => localStorage.getItem("theme"))).toBeNull();

    function background(): Promise<string> {
      return page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    }
  });

  it("goes by the arrow keys, and over to other tabs of the site", async () => {
    const { page, context } = await site.visit(WIDE);
    const other = await context.newPage();
    await other.goto("/en/items");
    await page.goto("/en/items");
    await page.getByRole("radio", { name: "System" }).focus();
    await page.keyboard.press("ArrowLeft");
    await other.waitForSelector("html[data-theme=dark]");
    expect(await other.getByRole("radio", { name: "Dark" }).isChecked()).toBe(true);
  });

  it.each([
    ["in the header of a wide page", WIDE, "header"],
    ["in the footer of a narrow one", NARROW, "footer"],
  ])("is there once, %s", async (_, size, place) => {
    const { page } = await site.visit(size);
    await page.goto("/en/items");
    const groups = page.getByRole("group", { name: "Appearance" });
    expect(await groups.count()).toBe(1);
    expect(await page.locator(place, { has: groups }).count()).toBe(1);
  });
});

describe("handing a page on", () => {
  it("copies its address and says so", async () => {
    const { page } = await visitEntry();
    await copyLink(page).click();
    expect(await message(page).innerText()).toContain("Link copied.");
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(new URL(copied).pathname).toMatch(/^(\/en)?\/vehicles\/411$/);
    expect(new URL(copied).origin).toBe(site.url);
  });

  it("moves nothing on the page for its message", async () => {
    const { page } = await visitEntry();
    const before = await page.locator("main").boundingBox();
    await copyLink(page).click();
    await message(page).waitFor();
    expect(await page.locator("main").boundingBox()).toEqual(before);
  });
});

describe("a message", () => {
  it("goes after eight seconds, and not while somebody is on it", async () => {
    const { page } = await visitEntry();
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
  });

  it("is reached by F8, and gives the focus back to where it was", async () => {
    const { page } = await visitEntry();
    await copyLink(page).press("Enter");
    await message(page).waitFor();
    await page.keyboard.press("F8");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Close");
    await page.keyboard.press("Escape");
    expect(await message(page).count()).toBe(0);
    expect(await copyLink(page).evaluate((button) => button === document.activeElement)).toBe(true);
  });

  it("is one of three at most", async () => {
    const { page } = await visitEntry();
    for (let press = 0; press < 5; press += 1) await copyLink(page).click();
    await expect.poll(() => message(page).count()).toBe(3);
  });
});

async function visitEntry() {
  const visit = await site.visit({ permissions: ["clipboard-read", "clipboard-write"] });
  await visit.page.goto("/en/vehicles/411");
  return visit;
}

function copyLink(page: Page) {
  return page.getByRole("button", { name: "Copy link" });
}

function message(page: Page) {
  return page.locator("[data-toast-message]");
}

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
  });
});

describe("keys of a keyboard", () => {
  it("are named where there is a keyboard", async () => {
    const { page } = await site.visit();
    await page.goto("/");
    expect(await shownKeys(page)).toEqual(["/"]);
  });
});

describe("the figures of a price", () => {
  const figuresOf = (page: Page, selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((price) => getComputedStyle(price).fontVariantNumeric);

  it("stand as the font has them in text, and below one another in a table", async () => {
    const { page } = await site.visit();
    await page.goto("/donate");
    expect(await figuresOf(page, ".shop .price")).toBe("normal");
    await page.goto("/donate/vip-gold");
    expect(await figuresOf(page, ".shop-price .price")).toBe("normal");
    expect(await figuresOf(page, ".price-figure ~ details td.num")).toBe("tabular-nums");
  });
});

describe("the way into a server", () => {
  it("is the page's main button only while the server is online", async () => {
    const { db } = site.database;
    const { page } = await site.visit();
    const join = page.getByRole("link", { name: "Join server" });
    for (const status of ["online", "offline", "unknown"]) {
      await db("servers").where({ id: "ls-one" }).update({ status, url: "samp://127.0.0.1:7777" });
      await page.goto("/servers/ls-one");
      expect(await join.evaluate((link) => link.classList.contains("is-primary")), status).toBe(
        status === "online",
      );
    }
  });
});

const asMarkup = (elements: Element[]) => elements.map((element) => element.outerHTML);

describe("a page on paper", () => {
  let page: Page;
  beforeAll(async () => {
    ({ page } = await site.open({ viewport: { width: 700, height: 1000 } }));
  });

  it.each([
    "/en/servers",
    "/en/servers/ls-one",
    "/en/compare/vehicles?id=411&id=415",
    "/ru/houses/map",
    "/ru/items/weapon-24",
    "/ru/donate/vip-gold",
  ])("%s is no wider than the paper, and shows nothing to press", async (path) => {
    await page.emulateMedia({ media: "screen" });
    await page.goto(path, { waitUntil: "networkidle" });
    await page.emulateMedia({ media: "print" });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(700);
    const controls = page.locator(":is(input, select, button, .button, .leaflet-control)");
    expect(await controls.count()).toBeGreaterThan(2);
    expect(await controls.filter({ visible: true }).evaluateAll(asMarkup)).toEqual([]);
  });
});

describe("a map on paper", () => {
  it("is the whole map, whatever part the viewer sees", async () => {
    const { page } = await site.visit();
    await page.goto("/en/houses/map?at=house-1");
    await page.locator(".leaflet-popup").waitFor();
    expect(await page.locator(".map-picture").isVisible()).toBe(false);
    await page.emulateMedia({ media: "print" });
    expect(await page.locator(".map-view").isVisible()).toBe(false);
    const dots = page.locator(".map-picture .map-dots");
    expect(await dots.count()).toBeGreaterThan(0);
    expect(await dots.filter({ visible: true }).count()).toBe(await dots.count());
  });
});

describe("a list on paper", () => {
  it("begins at the edge, where there is no box to tick", async () => {
    const { page } = await site.visit({ viewport: { width: 700, height: 1000 } });
    await page.goto("/en/vehicles");
    await page.emulateMedia({ media: "print" });
    const left = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => element.getBoundingClientRect().left);
    expect((await left(".entry-table tbody th .thumb")) - (await left(".entry-table"))).toBeLessThan(10);
  });

  it.each(["/items", "/vehicles"])("%s has its rows, and nothing to press", async (path) => {
    const { page } = await site.visit();
    await page.goto(path);
    await page.emulateMedia({ media: "print" });
    const rows = page.locator(".entry-table tbody tr");
    expect(await rows.first().isVisible()).toBe(true);
    expect(await rows.last().isVisible()).toBe(true);
    const controls = page.locator("main :is(input, select, button, .compare-bar)");
    expect(await controls.count()).toBeGreaterThan(10);
    expect(await controls.filter({ visible: true }).count()).toBe(0);
  });
});
