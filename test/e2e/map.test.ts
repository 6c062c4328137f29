import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { HAS_PLACE } from "../../src/records/place.ts";
import { useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

/** The map once its script has taken the place of the picture. */
async function openMap(page: Page, path: string) {
  await page.goto(path);
  await page.locator(".map.is-live").waitFor();
  return page.getByRole("region", { name: /^(Map of|Карта)/ });
}

/** How much of the game one pixel shows: the step of the grid by its width on the screen. */
async function unitsAcross(page: Page): Promise<number> {
  return page.evaluate(() => {
    const fields = [...document.querySelectorAll<HTMLElement>(".map-field")];
    const [first] = fields;
    const right = fields.find(
      (field) =>
        first && field.textContent?.split(", ")[1] === first.textContent?.split(", ")[1] && field !== first,
    );
    const [a, b] = [first, right].map((field) => Number(field?.textContent?.split(", ")[0]));
    const [left, next] = [first, right].map((field) => field?.getBoundingClientRect().left ?? 0);
    return ((b ?? 0) - (a ?? 0)) / ((next ?? 0) - (left ?? 0));
  });
}

/** How many markers have their centre inside of the map's box. Runs in the page. */
function markersInSight(): number {
  const box = document.querySelector(".map-view")?.getBoundingClientRect() ?? new DOMRect();
  return [...document.querySelectorAll(".map-marker")].filter((marker) => {
    const { x, y, width, height } = marker.getBoundingClientRect();
    const [left, top] = [x + width / 2, y + height / 2];
    return left >= box.left && left <= box.right && top >= box.top && top <= box.bottom;
  }).length;
}

/** By how many pixels the open popup reaches out of the map's box. Runs in the page. */
function hiddenPartOfPopup(): number {
  const box = document.querySelector(".map-view")?.getBoundingClientRect();
  const popup = document.querySelector(".leaflet-popup")?.getBoundingClientRect();
  if (!box || !popup) return Number.POSITIVE_INFINITY;
  return Math.max(box.left - popup.left, popup.right - box.right, box.top - popup.top, 0);
}

describe("a map with its script", () => {
  it("stands in the place of the picture: nothing moves, every dot becomes a marker where it was", async () => {
    const { page, context, complaints } = await site.visit();
    await page.route("**/map/points", async (route) => {
      await expect.poll(() => page.locator(".map-picture").boundingBox()).not.toBeNull();
      await route.continue();
    });
    await page.addInitScript(`
      window.moved = [];
      new PerformanceObserver((list) => {
        const sources = list.getEntries().flatMap(({ sources }) => sources);
        window.moved.push(...sources.filter(({ node }) => node?.parentElement?.closest(".map-side")));
      }).observe({ type: "layout-shift", buffered: true });`);
    await page.goto("/en/houses/map", { waitUntil: "commit" });
    const before = await page.locator(".map").boundingBox();
    await page.locator(".map.is-live").waitFor();
    expect(await page.locator(".map").boundingBox()).toEqual(before);
    expect(await page.evaluate("window.moved.length")).toBe(0);
    const count = await site.database.db("houses").whereRaw(HAS_PLACE).count("* as count").first();
    expect(await page.locator(".map-marker").count()).toBe(Number(count?.count));
    const { x, y } = (await site.database.db("houses").where({ id: "house-39" }).first("attributes"))
      .attributes;
    const box = before ?? { x: 0, y: 0, width: 0, height: 0 };
    const where = { x: box.x + ((x + 3000) / 6000) * box.width, y: box.y + ((3000 - y) / 6000) * box.height };
    await page.mouse.click(where.x, where.y);
    await page.locator(".leaflet-popup").getByRole("link", { name: "Fort Carson House" }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it.each([
    ["turned", 820, 1180],
    ["made small and large again", 1280, 794],
  ])("shows all of it after the window was %s", async (_, width, other) => {
    const { page, context } = await site.visit({ viewport: { width, height: 900 } });
    await openMap(page, "/en/houses/map");
    const across = () => page.evaluate(markersInSight);
    const all = await page.locator(".map-marker").count();
    expect(await across()).toBe(all);
    for (const next of [other, width]) {
      await page.setViewportSize({ width: next, height: 900 });
      await expect.poll(across).toBe(all);
    }
    await context.close();
  });

  it("shows a popup whole on a phone, wherever its marker is", async () => {
    const { page, context } = await site.visit({ viewport: { width: 390, height: 844 }, hasTouch: true });
    const map = await openMap(page, "/ru/houses/map");
    for (const link of (await page.locator("[data-show]").all()).slice(0, 12)) {
      await link.click();
      await expect.poll(() => page.evaluate(hiddenPartOfPopup)).toBeLessThan(1);
    }
    expect(await map.locator(".leaflet-popup").count()).toBe(1);
    await context.close();
  });

  it("lets the wheel scroll the page, until somebody is on the map", async () => {
    const { page, context } = await site.visit({ viewport: { width: 1280, height: 500 } });
    const map = await openMap(page, "/en/houses/map");
    await map.hover();
    await page.mouse.wheel(0, 300);
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(0);
    const before = await unitsAcross(page);
    await map.click({ position: { x: 5, y: 5 } });
    await page.mouse.wheel(0, -300);
    await expect.poll(() => unitsAcross(page)).toBeLessThan(before);
    await context.close();
  });

  it("opens with the entry that the address names", async () => {
    const { page, context, complaints } = await site.visit();
    await openMap(page, "/ru/houses/map?at=house-1");
    const popup = page.locator(".leaflet-popup");
    await popup.getByRole("link", { name: "Дом семьи Джонсон" }).waitFor();
    expect(await popup.innerText()).toContain("2495.3, -1690.8");
    // The demo data is in English, and so is whatever has no word in the page's language.
    expect(await popup.locator("dd").first().getAttribute("lang")).toBe("en");
    expect(await popup.locator("p").getAttribute("lang")).toBe("en");
    expect(await popup.getByRole("button", { name: "Закрыть" }).count()).toBe(1);
    expect(await page.locator(".map-marker.is-chosen").count()).toBe(1);
    await popup.getByRole("link").click();
    await page.waitForURL("**/ru/houses/house-1");
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("is moved by arrow keys and zoomed by + and −", async () => {
    const { page, context } = await site.visit({ reducedMotion: "reduce" });
    const map = await openMap(page, "/en/houses/map");
    await map.focus();
    const whole = await unitsAcross(page);
    await page.keyboard.press("+");
    await expect.poll(() => unitsAcross(page)).toBeCloseTo(whole / 2, 1);
    const corner = () => page.locator(".map-marker").first().boundingBox();
    const before = await corner();
    await page.keyboard.press("ArrowRight");
    await expect.poll(async () => (await corner())?.x ?? 0).toBeLessThan(before?.x ?? 0);
    await page.keyboard.press("-");
    await expect.poll(() => unitsAcross(page)).toBeCloseTo(whole, 1);
    await context.close();
  });

  it("shows an entry of the list in place, and gives the focus back", async () => {
    const { page, context, complaints } = await site.visit();
    await openMap(page, "/en/houses/map");
    const link = page.getByRole("link", { name: /^Show on map ?: Angel Pine House$/ });
    await link.focus();
    await page.keyboard.press("Enter");
    const popup = page.locator(".leaflet-popup");
    await popup.getByRole("link", { name: "Angel Pine House" }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Angel Pine House");
    expect(new URL(page.url()).search).toBe("");
    await page.keyboard.press("Escape");
    await popup.waitFor({ state: "detached" });
    expect(await link.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("has figures of one size on its grid, however far it is stretched", async () => {
    for (const width of [390, 1280]) {
      const { page, context } = await site.visit({ viewport: { width, height: 900 } });
      await openMap(page, "/en/houses/map");
      const size = await page.evaluate(() => {
        const [field] = document.querySelectorAll<HTMLElement>(".map-field");
        if (!field) throw new Error("no grid");
        const stretched = field.getBoundingClientRect().width / field.offsetWidth;
        return Number.parseFloat(getComputedStyle(field).fontSize) * stretched;
      });
      expect(size).toBeCloseTo(12, 0);
      await context.close();
    }
  });

  it("is skipped by one link, for who has no use for it", async () => {
    const { page, context } = await site.visit();
    await openMap(page, "/en/houses/map");
    const skip = page.getByRole("link", { name: "Skip the map" });
    await skip.focus();
    expect((await skip.boundingBox())?.height).toBeGreaterThanOrEqual(24);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => document.activeElement?.closest(".map-list") !== null);
    expect(focused).toBe(true);
    await context.close();
  });

  it("stays a picture with a list where its points do not come", async () => {
    const { page, context, complaints } = await site.visit();
    await page.route("**/map/points*", (route) => route.fulfill({ status: 503, body: "{}" }));
    await page.goto("/en/houses/map", { waitUntil: "networkidle" });
    expect(await page.locator(".map.is-live").count()).toBe(0);
    expect(await page.locator(".map-picture").isVisible()).toBe(true);
    await page.getByRole("link", { name: /^Show on map ?: Angel Pine House$/ }).click();
    await page.waitForURL(/\?at=house-/);
    // The browser's own line about the status, and no fault of the script.
    expect(complaints.filter((complaint) => !complaint.includes("503"))).toEqual([]);
    await context.close();
  });
});

describe("the list beside a map", () => {
  it("says it all on a phone, within its width, and gives no advice about keys", async () => {
    const { page, context } = await site.visit({
      viewport: { width: 360, height: 800 },
      hasTouch: true,
      isMobile: true,
    });
    await page.goto("/en/houses/map");
    const row = page.getByRole("row").filter({ hasText: "Angel Pine House" });
    const show = await row.getByRole("link", { name: /^Show on map/ }).boundingBox();
    const price = await row.getByText("49,000").boundingBox();
    for (const box of [show, price]) expect((box?.x ?? 360) + (box?.width ?? 0)).toBeLessThan(360);
    expect(await page.getByText("arrow keys").isVisible()).toBe(false);
    await context.close();
  });
});

describe("a map without script", () => {
  it("is a picture, and its list shows entries one at a time", async () => {
    const { page, context } = await site.visit({ javaScriptEnabled: false });
    await page.goto("/en/houses/map");
    expect(await page.getByRole("img", { name: /^Map with \d+ houses/ }).isVisible()).toBe(true);
    await page.getByRole("link", { name: /^Show on map ?: Angel Pine House$/ }).click();
    expect(await page.getByText("Marked on the map:").innerText()).toContain("Angel Pine House");
    expect(await page.locator("circle.map-chosen").isVisible()).toBe(true);
    await page.getByLabel("Category").selectOption("Mansions");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    expect(new URL(page.url()).searchParams.get("category")).toBe("Mansions");
    await context.close();
  });
});
