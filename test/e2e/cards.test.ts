import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { drain, type Listener, listen } from "../../src/web/server/listen.ts";
import { useBrowserSite } from "../helpers/browser.ts";
import { faultsByAxe } from "./page-faults.ts";

const site = useBrowserSite();

async function open(path: string, options: Parameters<typeof site.visit>[0] = {}) {
  const visit = await site.visit(options);
  // Time passes as usual until a test stops it.
  await visit.page.clock.install();
  const asked: string[] = [];
  visit.page.on("request", (request) => request.url().endsWith("/card") && asked.push(request.url()));
  await visit.page.goto(path);
  return { ...visit, asked };
}

/** A link to the vehicle 411. */
function linkOf(page: Page) {
  return page.locator('main a[href="/en/vehicles/411"]').first();
}

function cardOf(page: Page) {
  return page.locator(".hover-card");
}

it("a card shows the page behind a link, beside it, and is fetched once", async () => {
  const { page, complaints, asked } = await open("/en/vehicles?q=infernus");
  for (let time = 0; time < 2; time += 1) {
    await linkOf(page).hover();
    await cardOf(page).waitFor();
    expect(await cardOf(page).innerText()).toContain("Infernus");
    expect(await faultsByAxe(page)).toEqual([]);
    await page.mouse.move(1, 1);
    await cardOf(page).waitFor({ state: "hidden" });
  }
  expect(asked).toHaveLength(1);
  expect(complaints).toEqual([]);
});

it("a card covers no part of its link and stays inside the window, wide or narrow", async () => {
  const { page } = await open("/en/vehicles?q=infernus", { viewport: { width: 1280, height: 700 } });
  for (const width of [1280, 390]) {
    await page.mouse.move(1, 1);
    await page.setViewportSize({ width, height: 700 });
    await cardOf(page).waitFor({ state: "hidden" });
    await linkOf(page).hover();
    await cardOf(page).waitFor();
    const [link, card] = [await linkOf(page).boundingBox(), await cardOf(page).boundingBox()];
    if (!link || !card) throw new Error("nothing to measure");
    const isApart =
      card.x >= link.x + link.width ||
      card.x + card.width <= link.x ||
      card.y >= link.y + link.height ||
      card.y + card.height <= link.y;
    expect(isApart).toBe(true);
    expect(card.x).toBeGreaterThanOrEqual(0);
    expect(card.x + card.width).toBeLessThanOrEqual(width);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
});

it("a card stays while the pointer is on it, and disappears on Escape and on scrolling", async () => {
  const { page } = await open("/en/vehicles?q=infernus");
  await linkOf(page).hover();
  await cardOf(page).waitFor();
  await cardOf(page).hover();
  await page.waitForTimeout(400);
  expect(await cardOf(page).isVisible()).toBe(true);
  await page.keyboard.press("Escape");
  expect(await cardOf(page).isVisible()).toBe(false);
  await page.mouse.move(1, 1);
  await linkOf(page).hover();
  await cardOf(page).waitFor();
  await page.mouse.wheel(0, 200);
  await cardOf(page).waitFor({ state: "hidden" });
});

it("a card follows the keyboard's focus, takes none, and is hidden from screen readers", async () => {
  const { page } = await open("/en/vehicles/411");
  const related = page.locator(".related a").first();
  await related.focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Shift+Tab");
  await cardOf(page).waitFor();
  expect(await related.evaluate((link) => link === document.activeElement)).toBe(true);
  expect(await cardOf(page).getAttribute("aria-hidden")).toBe("true");
  expect(await cardOf(page).locator("a, button, input, [tabindex]").count()).toBe(0);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Escape");
  expect(await cardOf(page).isVisible()).toBe(false);
});

it("no card is shown on touch, for a moment of hovering, or for a link to no entry", async () => {
  const touch = await open("/en/vehicles?q=infernus", { hasTouch: true, isMobile: true });
  await linkOf(touch.page).dispatchEvent("pointerover", { pointerType: "touch" });
  await linkOf(touch.page).dispatchEvent("pointerover", { pointerType: "mouse" });
  await touch.page.waitForTimeout(400);
  expect(touch.asked).toEqual([]);

  const { page, asked } = await open("/en/houses");
  // Else a moment on a busy machine is long.
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.locator('main a[href="/en/houses/house-1"]').first().hover();
  await page.mouse.move(1, 1);
  await page.locator('main a[href="/en/houses/map"]').first().hover();
  await page.clock.runFor(400);
  expect(asked).toEqual([]);
});

let forum: Listener;

beforeAll(async () => {
  forum = await listen({ port: 0, host: "127.0.0.1" });
  forum.answerWith((_req, res) => {
    res.setHeader("Content-Type", "text/html; charset=utf-8");
    // As strict as a forum may be: neither styles nor anything else of its own.
    res.setHeader(
      "Content-Security-Policy",
      `default-src 'none'; script-src ${site.url}; connect-src ${site.url}; img-src ${site.url}`,
    );
    res.end(`<!doctype html><title>A forum</title><script src="${site.url}/embed/cards.js" defer></script>
      <p><a id="ours" href="${site.url}/en/vehicles/411">that car</a></p>
      <p><a id="russian" href="${site.url}/ru/vehicles/411">та машина</a></p>
      <p><a id="map" href="${site.url}/houses/map">a map</a></p>
      <p><a id="theirs" href="/vehicles/411">their own</a></p>
      <p><a id="evil" href="https://other.example/vehicles/411">another's</a></p>
      <svg width="50" height="20"><a href="#x"><text y="15">drawn</text></a></svg>`);
  });
});

afterAll(async () => {
  if (forum) await drain(forum.server);
});

async function openForum(options: Parameters<typeof site.visit>[0] = {}) {
  const visit = await site.visit(options);
  const cards: { url: string; cookie: string | undefined }[] = [];
  visit.page.on("request", async (request) => {
    if (!request.url().endsWith("/card")) return;
    cards.push({ url: request.url(), cookie: (await request.allHeaders()).cookie });
  });
  await visit.page.goto(`${forum.url}/topic`);
  return { ...visit, cards };
}

it("another site shows our cards beside its links to us, without cookies and whatever its policy", async () => {
  const { page, context, complaints, cards } = await openForum();
  await context.addCookies([{ name: "almanac", value: "secret", url: site.url }]);
  await page.locator("#ours").hover();
  const card = page.locator("almanac-card .hover-card");
  await card.waitFor();
  expect(await card.innerText()).toContain("Infernus");
  expect(await card.evaluate((element) => getComputedStyle(element).position)).toBe("fixed");
  expect(cards).toEqual([{ url: `${site.url}/en/vehicles/411/card`, cookie: undefined }]);
  await page.locator("#russian").hover();
  await expect.poll(() => card.innerText()).toContain("Транспорт");
  await page.keyboard.press("Escape");
  expect(await card.isVisible()).toBe(false);
  expect(complaints).toEqual([]);
});

it("another site has cards for no other links, and nothing of ours on its page", async () => {
  const { page, complaints, cards } = await openForum();
  const before = await page.locator("body").evaluate((body) => body.getBoundingClientRect().height);
  for (const link of ["#map", "#theirs", "#evil", "svg text"]) {
    await page.locator(link).hover();
    await page.waitForTimeout(250);
  }
  expect(cards).toEqual([]);
  expect(await page.locator("body").evaluate((body) => body.getBoundingClientRect().height)).toBe(before);
  expect(await page.evaluate(() => Object.keys(window).filter((key) => /card|almanac/i.test(key)))).toEqual(
    [],
  );
  expect(complaints).toEqual([]);
});

it("a picture in a card is loaded from us", async () => {
  const { page } = await openForum();
  await page.evaluate((href) => {
    const link = document.querySelector("#ours") as HTMLAnchorElement;
    link.href = href;
  }, `${site.url}/en/vehicles/415`);
  await page.locator("#ours").hover();
  const picture = page.locator("almanac-card img");
  await picture.waitFor();
  expect(await picture.getAttribute("src")).toContain(`${site.url}/pictures/`);
  await expect
    .poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(0);
});
