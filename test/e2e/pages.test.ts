import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

const NARROW = { width: 390, height: 844 };
const WIDE = { width: 1280, height: 800 };

describe("the keyboard", () => {
  it("skips to the content by the first stop, and its keys are named on the page", async () => {
    const { page } = await site.visit();
    await page.goto("/");
    expect(await shownKeys(page)).toEqual(["/"]);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
  });
});

describe("the switch of day and night", () => {
  it("follows the system until somebody chooses, and keeps what they chose", async () => {
    const { page } = await site.visit({ viewport: WIDE, colorScheme: "dark" });
    await page.goto("/en/scripts");
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

  it("reacts to arrow keys and changes other tabs, from the header or a phone's footer", async () => {
    const { page, context } = await site.visit({ viewport: WIDE });
    const other = await context.newPage();
    await other.setViewportSize(NARROW);
    for (const tab of [other, page]) await tab.goto("/en/nicknames");
    for (const [tab, place] of [
      [page, "header"],
      [other, "footer"],
    ] as const) {
      const groups = tab.getByRole("group", { name: "Appearance" });
      expect(await groups.count()).toBe(1);
      expect(await tab.locator(place, { has: groups }).count()).toBe(1);
    }
    await page.getByRole("radio", { name: "System" }).focus();
    await page.keyboard.press("ArrowLeft");
    await other.waitForSelector("html[data-theme=dark]");
    expect(await other.getByRole("radio", { name: "Dark" }).isChecked()).toBe(true);
  });
});

describe("the button that copies a page's address", () => {
  it("copies it, and shows a message that moves nothing and is closed by F8 and Escape", async () => {
    const { page } = await visitEntry();
    const before = await page.locator("main").boundingBox();
    await copyLink(page).press("Enter");
    await message(page).waitFor();
    expect(await message(page).innerText()).toContain("Link copied.");
    expect(await page.locator("main").boundingBox()).toEqual(before);
    const copied = new URL(await page.evaluate(() => navigator.clipboard.readText()));
    expect([copied.origin, copied.pathname.replace(/^\/en/, "")]).toEqual([site.url, "/vehicles/411"]);
    await page.keyboard.press("F8");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Close");
    await page.keyboard.press("Escape");
    expect(await message(page).count()).toBe(0);
    expect(await copyLink(page).evaluate((button) => button === document.activeElement)).toBe(true);
  });

  it("shows at most three messages, each for eight seconds, and longer under the pointer", async () => {
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
    await page.clock.pauseAt(Date.now() + 3_600_000);
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
      await page.goto(path);
      for (const size of [NARROW, { width: 1180, height: 820 }]) {
        await page.setViewportSize(size);
        expect(await shownKeys(page), `${path} at ${size.width}`).toEqual([]);
      }
      expect(await context.cookies()).toEqual([]);
    }
  });
});

describe("the figures of a price", () => {
  const figuresOf = (page: Page, selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((price) => getComputedStyle(price).fontVariantNumeric);

  it("are proportional in text and tabular in a table", async () => {
    const { page } = await site.visit();
    await page.goto("/donate");
    expect(await figuresOf(page, ".shop .price")).toBe("normal");
    await page.goto("/donate/vip-gold");
    expect(await figuresOf(page, ".shop-price .price")).toBe("normal");
    expect(await figuresOf(page, ".price-figure ~ details td.num")).toBe("tabular-nums");
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
  ])("fits %s on the paper, without controls", async (path) => {
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
  it("shows the whole map, whatever part the viewer sees", async () => {
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
  it("shows all rows from the edge on, without boxes to tick or other controls", async () => {
    const { page } = await site.visit({ viewport: { width: 700, height: 1000 } });
    await page.goto("/en/vehicles");
    await page.emulateMedia({ media: "print" });
    const left = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => element.getBoundingClientRect().left);
    expect((await left(".entry-table tbody th .thumb")) - (await left(".entry-table"))).toBeLessThan(10);
    const rows = page.locator(".entry-table tbody tr");
    expect(await rows.first().isVisible()).toBe(true);
    expect(await rows.last().isVisible()).toBe(true);
    const controls = page.locator("main :is(input, select, button, .compare-bar)");
    expect(await controls.count()).toBeGreaterThan(10);
    expect(await controls.filter({ visible: true }).count()).toBe(0);
  });
});
