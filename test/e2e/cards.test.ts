import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";
import { faultsByAxe } from "./page-faults.ts";

const site = useBrowserSite();

async function open(path: string, options: Parameters<typeof site.visit>[0] = {}) {
  const visit = await site.visit(options);
  // Time passes as usual until a test stops it.
  await visit.page.clock.install();
  const asked: string[] = [];
  visit.page.on("request", (request) => request.url().endsWith("/card") && asked.push(request.url()));
  await visit.page.goto(path, { waitUntil: "networkidle" });
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
  const { page, context, complaints, asked } = await open("/en/vehicles?q=infernus");
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
  await context.close();
});

it.each([
  ["wide", 1280],
  ["narrow", 390],
])("a card on a %s window covers no part of its link and stays inside", async (_name, width) => {
  const { page, context } = await open("/en/vehicles?q=infernus", { viewport: { width, height: 700 } });
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
  await context.close();
});

it("a card stays while the pointer is on it, and goes on Escape and on scrolling", async () => {
  const { page, context } = await open("/en/vehicles?q=infernus");
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
  await context.close();
});

it("a card comes with the keyboard's focus, takes none, and is hidden from screen readers", async () => {
  const { page, context } = await open("/en/vehicles/411");
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
  await context.close();
});

it("no card comes on touch, for a moment of hovering, or for what is no entry", async () => {
  const touch = await open("/en/vehicles?q=infernus", { hasTouch: true, isMobile: true });
  await linkOf(touch.page).dispatchEvent("pointerover", { pointerType: "touch" });
  await linkOf(touch.page).dispatchEvent("pointerover", { pointerType: "mouse" });
  await touch.page.waitForTimeout(400);
  expect(touch.asked).toEqual([]);
  await touch.context.close();

  const { page, context, asked } = await open("/en/houses");
  // Else a moment on a busy machine is long.
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.locator('main a[href="/en/houses/house-1"]').first().hover();
  await page.mouse.move(1, 1);
  await page.locator('main a[href="/en/houses/map"]').first().hover();
  await page.clock.runFor(400);
  expect(asked).toEqual([]);
  await context.close();
});
