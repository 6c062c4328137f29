import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { HAS_POSITION } from "../../src/records/position.ts";
import { useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

/** The map once its script has taken the place of the picture. */
async function openMap(page: Page, path: string) {
  await page.goto(path);
  await page.locator(".map.is-live").waitFor();
  return page.getByRole("region", { name: /^(Map of|Карта)/ });
}

/** How much of the game one pixel shows: the width of the land by its width on the screen. */
async function unitsAcross(page: Page): Promise<number> {
  const land = await page.locator(".map-land").boundingBox();
  return 6000 / (land?.width ?? 0);
}

/** How many places the signs within the map's box stand for. Runs in the page. */
function placesInSight(): number {
  const box = document.querySelector(".map-view")?.getBoundingClientRect() ?? new DOMRect();
  const seen = [...document.querySelectorAll(".map-marker, .map-cluster")].filter((marker) => {
    const { x, y, width, height } = marker.getBoundingClientRect();
    const [left, top] = [x + width / 2, y + height / 2];
    return left >= box.left && left <= box.right && top >= box.top && top <= box.bottom;
  });
  return seen.reduce((sum, marker) => sum + Number(marker.textContent || 1), 0);
}

/** By how many pixels the open popup reaches out of the map's box. Runs in the page. */
function hiddenPartOfPopup(): number {
  const box = document.querySelector(".map-view")?.getBoundingClientRect();
  const popup = document.querySelector(".leaflet-popup")?.getBoundingClientRect();
  if (!box || !popup) return Number.POSITIVE_INFINITY;
  return Math.max(box.left - popup.left, popup.right - box.right, box.top - popup.top, 0);
}

describe("a map with its script", () => {
  it("finds places by letters that the search takes for equal", async () => {
    const { db } = site.database;
    const { id, ...before } = await db("houses")
      .whereRaw(HAS_POSITION)
      .first("id", "name", "names", "category");
    await db("houses").where({ id }).update({ name: "Łódź Straße Ёж", names: {}, category: "Østerbro" });
    const { page } = await site.visit();
    try {
      await openMap(page, "/en/houses/map");
      const rows = page.locator("[data-found-rows] tr");
      for (const typed of ["lodz", "STRASSE", "osterbro еж", "straẞe-łódź"]) {
        await page.locator("#map-find").fill(typed);
        await expect
          .poll(() => rows.allTextContents(), { message: typed })
          .toEqual([expect.stringContaining("Łódź")]);
      }
      await page.locator("#map-find").fill("lodz nowhere");
      await expect.poll(() => page.locator("[data-found]").innerText()).toContain("nowhere");
    } finally {
      await db("houses").where({ id }).update(before);
    }
  });

  it("replaces the picture without moving anything, and every dot by a sign", async () => {
    const { page, complaints } = await site.visit();
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
    const count = await site.database.db("houses").whereRaw(HAS_POSITION).count("* as count").first();
    expect(await page.evaluate(placesInSight)).toBe(Number(count?.count));
    const { x, y } = (await site.database.db("houses").where({ id: "house-39" }).first("attributes"))
      .attributes;
    const box = before ?? { x: 0, y: 0, width: 0, height: 0 };
    const where = { x: box.x + ((x + 3000) / 6000) * box.width, y: box.y + ((3000 - y) / 6000) * box.height };
    await page.mouse.click(where.x, where.y);
    await page.locator(".leaflet-popup").getByRole("link", { name: "Fort Carson House" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows all of it after the window was turned, or made small and large again", async () => {
    const { page } = await site.visit({ viewport: { width: 820, height: 900 } });
    await openMap(page, "/en/houses/map");
    const across = () => page.evaluate(placesInSight);
    const all = await across();
    expect(all).toBeGreaterThan(70);
    for (const width of [1180, 820, 1280, 794, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(across, { message: `${width}` }).toBe(all);
    }
  });

  it("shows a popup whole on a phone, for any marker", async () => {
    const { page } = await site.visit({ viewport: { width: 390, height: 844 }, hasTouch: true });
    const map = await openMap(page, "/ru/houses/map");
    for (const link of (await page.locator("[data-show]").all()).slice(0, 12)) {
      await link.click();
      await expect.poll(() => page.evaluate(hiddenPartOfPopup)).toBeLessThan(1);
    }
    expect(await map.locator(".leaflet-popup").count()).toBe(1);
  });

  it("lets the wheel scroll the page, until somebody is on the map", async () => {
    const { page } = await site.visit({ viewport: { width: 1280, height: 500 } });
    const map = await openMap(page, "/en/houses/map");
    await map.hover();
    await page.mouse.wheel(0, 300);
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(0);
    const before = await unitsAcross(page);
    await map.click({ position: { x: 5, y: 5 } });
    await page.mouse.wheel(0, -300);
    await expect.poll(() => unitsAcross(page)).toBeLessThan(before);
  });

  it("opens with the entry that the address names", async () => {
    const { page, complaints } = await site.visit();
    await openMap(page, "/ru/houses/map?at=house-1");
    const popup = page.locator(".leaflet-popup");
    await popup.getByRole("link", { name: "Дом семьи Джонсон" }).waitFor();
    expect(await popup.innerText()).toContain("2495.3, -1690.8");
    // The demo's categories have words in the page's language; the main name has its own.
    expect(await popup.locator("dd").first().innerText()).toBe("Дома");
    expect(await popup.locator("dd").first().getAttribute("lang")).toBeNull();
    expect(await popup.locator("p").getAttribute("lang")).toBe("en");
    expect(await popup.getByRole("button", { name: "Закрыть" }).count()).toBe(1);
    expect(await page.locator(".map-marker.is-chosen").count()).toBe(1);
    await popup.getByRole("link").click();
    await page.waitForURL("**/ru/houses/house-1");
    expect(complaints).toEqual([]);
  });

  it("is moved by arrow keys and zoomed by + and −", async () => {
    const { page } = await site.visit({ reducedMotion: "reduce" });
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
  });

  it("shows an entry of the list in place, and gives the focus back", async () => {
    const { page, complaints } = await site.visit();
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
  });

  it("is skipped by one link, for who has no use for it", async () => {
    const { page } = await site.visit();
    await openMap(page, "/en/houses/map");
    const skip = page.getByRole("link", { name: "Skip the map" });
    await skip.focus();
    expect((await skip.boundingBox())?.height).toBeGreaterThanOrEqual(24);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => document.activeElement?.closest(".map-list") !== null);
    expect(focused).toBe(true);
  });

  it("stays a picture with a list where its points do not come", async () => {
    const { page, complaints } = await site.visit();
    await page.route("**/map/points*", (route) => route.fulfill({ status: 503, body: "{}" }));
    await page.goto("/en/houses/map", { waitUntil: "networkidle" });
    expect(await page.locator(".map.is-live").count()).toBe(0);
    expect(await page.locator(".map-picture").isVisible()).toBe(true);
    await page.getByRole("link", { name: /^Show on map ?: Angel Pine House$/ }).click();
    await page.waitForURL(/\?at=house-/);
    // The browser's own line about the status, and no fault of the script.
    expect(complaints.filter((complaint) => !complaint.includes("503"))).toEqual([]);
  });
});

describe("signs on a map", () => {
  it("stand for several places where these are too near, and zoom in until they are apart", async () => {
    const { page, complaints } = await site.visit();
    await openMap(page, "/en/houses/map");
    const cluster = page.getByRole("button", { name: /^\d+ places here. Zoom in.$/ }).first();
    const before = await page.locator(".map-cluster").count();
    const across = await unitsAcross(page);
    await cluster.click();
    await expect.poll(() => unitsAcross(page)).toBeLessThan(across * 0.6);
    expect(await page.locator(".map-marker").count()).toBeGreaterThan(0);
    expect(before).toBeGreaterThan(3);
    expect(complaints).toEqual([]);
  });

  it("are pressed with Enter or Space, and leave the focus on the map", async () => {
    const { page } = await site.visit({ reducedMotion: "reduce" });
    const map = await openMap(page, "/en/houses/map");
    const across = await unitsAcross(page);
    for (const key of ["Enter", "Space"]) {
      await page.locator(".map-cluster").first().focus();
      await page.keyboard.press(key);
      await expect.poll(() => unitsAcross(page)).toBeLessThan(across * 0.6);
      expect(await map.evaluate((element) => element.contains(document.activeElement))).toBe(true);
      await map.focus();
      const zoomOut = async () => {
        await page.keyboard.press("-");
        return unitsAcross(page);
      };
      await expect.poll(zoomOut).toBeCloseTo(across, 1);
    }
  });

  it("open what they stand for with a key, and get the focus back", async () => {
    const { page } = await site.visit({ reducedMotion: "reduce" });
    await openMap(page, "/en/houses/map");
    const sign = page.getByRole("button", { name: "Fort Carson House" });
    await sign.focus();
    await page.keyboard.press("Enter");
    const link = page.locator(".leaflet-popup").getByRole("link", { name: "Fort Carson House" });
    await expect.poll(() => link.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press("Escape");
    await expect.poll(() => sign.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  it("name all that lie at one spot, which no zoom tells apart", async () => {
    const { page } = await site.visit();
    const spot = { x: 100, y: 200 };
    await site.database.db("businesses").insert(
      ["One", "Two"].map((name) => ({
        id: `spot-${name}`,
        name: `Spot-only ${name}`,
        attributes: JSON.stringify(spot),
      })),
    );
    const listed = async () => (await page.context().request.get("/en/businesses/map/points")).text();
    await expect.poll(listed).toContain("spot-One");
    await openMap(page, "/en/businesses/map");
    await page.getByLabel("Search this list").fill("spot-only");
    await expect.poll(() => page.locator(".map-cluster, .map-marker").count()).toBe(1);
    await page.getByRole("button", { name: "2 places here. Zoom in." }).click();
    await page.locator(".leaflet-popup").getByRole("link", { name: "Spot-only Two" }).waitFor();
    await site.database.db("businesses").whereLike("id", "spot-%").delete();
  });
});

describe("the list beside a map", () => {
  it("marks the sign of the row that has the pointer or the focus, and the row of the sign", async () => {
    const { page } = await site.visit();
    await openMap(page, "/en/houses/map");
    const row = page.getByRole("row").filter({ hasText: "Fort Carson House" });
    await row.hover();
    const marked = page.locator(".map-marker.is-marked");
    await expect.poll(() => marked.count()).toBe(1);
    expect(await marked.getAttribute("aria-label")).toBe("Fort Carson House");
    await page.getByRole("heading", { level: 1 }).hover();
    await expect.poll(() => marked.count()).toBe(0);
    await row.getByRole("link", { name: "Fort Carson House" }).first().focus();
    await expect.poll(() => marked.count()).toBe(1);
    await page.getByRole("button", { name: "Fort Carson House" }).hover();
    await expect.poll(() => row.getAttribute("class")).toBe("is-marked");
  });

  it("is narrowed with the map by a part of a name, over all its pages", async () => {
    const { page, complaints } = await site.visit();
    await openMap(page, "/ru/houses/map");
    const field = page.getByLabel("Поиск по списку");
    await field.fill("виллА");
    await expect.poll(() => page.evaluate(placesInSight)).toBeLessThan(12);
    const rows = page.locator(".map-list tbody tr:visible");
    expect(await rows.count()).toBe(await page.evaluate(placesInSight));
    expect(await rows.first().innerText()).toMatch(/вилла/i);
    expect(await page.locator("[data-found]").innerText()).toMatch(/^Найдено \d+ мест/);
    await rows
      .first()
      .getByRole("link", { name: /^На карте/ })
      .click();
    await page.locator(".leaflet-popup").waitFor();
    await field.fill("qwertz");
    await page.getByRole("cell", { name: "Здесь по запросу «qwertz» ничего не нашлось." }).waitFor();
    await field.fill("");
    await expect.poll(() => rows.count()).toBe(50);
    expect(complaints).toEqual([]);
  });

  it("says it all on a phone, within its width, and gives no advice about keys", async () => {
    const { page } = await site.visit({
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
  });
});

describe("the small map of a place", () => {
  it("has the coordinates below it, to copy", async () => {
    const { page } = await site.visit({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto("/en/houses/house-1");
    await page.getByRole("button", { name: "Copy the coordinates" }).click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe("2495.3, -1690.8, 14.8");
    expect(await page.getByRole("row", { name: /^[XYZ] / }).count()).toBe(0);
  });
});

describe("a map without script", () => {
  it("is a picture, and its list shows entries one at a time", async () => {
    const { page } = await site.visit({ javaScriptEnabled: false });
    await page.goto("/en/houses/map");
    expect(await page.getByRole("img", { name: /^Map with \d+ houses/ }).isVisible()).toBe(true);
    // Dots are as large on the screen, however much of the game the picture shows.
    expect(await page.locator("[id^=dots-]").first().getAttribute("vector-effect")).toBe(
      "non-scaling-stroke",
    );
    await page.getByRole("link", { name: /^Show on map ?: Angel Pine House$/ }).click();
    expect(await page.getByText("Marked on the map:").innerText()).toContain("Angel Pine House");
    expect(await page.locator("circle.map-chosen").isVisible()).toBe(true);
    await page.getByLabel("Category").selectOption("Mansions");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    expect(new URL(page.url()).searchParams.get("category")).toBe("Mansions");
  });
});
