import type { Locator, Page } from "playwright-core";
import { expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();
const SIGNS = ".map-marker, .map-cluster";

async function openMap(page: Page): Promise<{ x: number; y: number; width: number; height: number }> {
  await page.goto("/en/houses/map");
  await page.locator(".map.is-live").waitFor();
  await page.locator(".map").scrollIntoViewIfNeeded();
  const box = await page.locator(".map-view").boundingBox();
  if (!box) throw new Error("there is no map");
  return box;
}

/** How many signs lie in the box of the map, by their middle. Runs in the page. */
function signsInSight(signs: (HTMLElement | SVGElement)[]): number {
  const box = document.querySelector(".map-view")?.getBoundingClientRect() ?? new DOMRect();
  return signs.filter((sign) => {
    const { x, y, width, height } = sign.getBoundingClientRect();
    const [left, top] = [x + width / 2, y + height / 2];
    return left > box.left && left < box.right && top > box.top && top < box.bottom;
  }).length;
}

const inSight = (page: Page) => page.locator(SIGNS).evaluateAll(signsInSight);

/** The width of the land on the screen tells the zoom. */
const zoomOf = async (page: Page) => (await page.locator(".map-land").boundingBox())?.width ?? 0;

async function middleOf(sign: Locator): Promise<{ x: number; y: number }> {
  const { x, y, width, height } = (await sign.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  return { x: x + width / 2, y: y + height / 2 };
}

it("a drag that is still held shows what it has come to", async () => {
  const { page, complaints } = await site.visit({ reducedMotion: "reduce" });
  const box = await openMap(page);
  await page.locator(".map-view").focus();
  for (let step = 0; step < 2; step++) await page.keyboard.press("+");
  // Towards the corner with most of the demo's places, by more than there are signs beyond the edge.
  await page.mouse.move(box.x + box.width * 0.95, box.y + box.height * 0.8);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.2, box.y + box.height * 0.4, { steps: 20 });
  const held = await inSight(page);
  expect(held).toBeGreaterThan(3);
  await page.mouse.up();
  await expect.poll(() => inSight(page)).toBe(held);
  expect(complaints).toEqual([]);
});

it("a drag that begins on a sign moves the map and presses nothing, nor does a second click zoom", async () => {
  const { page } = await site.visit({ reducedMotion: "reduce" });
  await openMap(page);
  const sign = page.getByRole("button", { name: "Fort Carson House" });
  const before = await middleOf(sign);
  await page.mouse.move(before.x, before.y);
  await page.mouse.down();
  await page.mouse.move(before.x + 60, before.y + 30, { steps: 6 });
  await page.mouse.up();
  await expect.poll(async () => Math.round((await middleOf(sign)).x - before.x)).not.toBe(0);
  expect(await page.locator(".leaflet-popup").count()).toBe(0);
  const zoom = await zoomOf(page);
  const now = await middleOf(sign);
  await page.mouse.dblclick(now.x, now.y);
  await page.locator(".leaflet-popup").getByRole("link", { name: "Fort Carson House" }).waitFor();
  expect(await zoomOf(page)).toBeCloseTo(zoom, 0);
});

it("the place of a sign stays under its middle while the zoom goes on and after it", async () => {
  const { page } = await site.visit();
  const box = await openMap(page);
  const sign = page.getByRole("button", { name: "Fort Carson House" });
  /** Where the sign is on the land, by the land's size. */
  const onLand = async () => {
    const land = (await page.locator(".map-land").boundingBox()) ?? box;
    const { x, y } = await middleOf(sign);
    return [(x - land.x) / land.width, (y - land.y) / land.height];
  };
  const [x = 0, y = 0] = await onLand();
  const zoom = await zoomOf(page);
  const { x: left, y: top } = await middleOf(sign);
  await page.locator(".map-view").focus();
  await page.mouse.move(left, top + 30);
  await page.mouse.wheel(0, -400);
  await expect.poll(() => zoomOf(page)).toBeGreaterThan(zoom * 1.5);
  await expect
    .poll(async () => {
      const [nowX = 0, nowY = 0] = await onLand();
      return Math.max(Math.abs(nowX - x), Math.abs(nowY - y));
    })
    .toBeLessThan(0.002);
});

it("two fingers zoom, and the signs are apart before they are lifted", async () => {
  const { page, context, complaints } = await site.visit({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const box = await openMap(page);
  const devtools = await context.newCDPSession(page);
  const whole = await zoomOf(page);
  const alone = await page.locator(".map-marker").count();
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", distance?: number) => {
    const middle = { x: box.x + box.width * 0.75, y: box.y + box.height * 0.7 };
    const fingers = distance === undefined ? [] : [-distance, distance];
    const touchPoints = fingers.map((by, id) => ({ x: middle.x + by * 0.6, y: middle.y + by, id }));
    return devtools.send("Input.dispatchTouchEvent", { type, touchPoints });
  };
  await touch("touchStart", 15);
  for (let distance = 20; distance <= 60; distance += 2) await touch("touchMove", distance);
  await expect.poll(() => zoomOf(page)).toBeGreaterThan(whole * 2);
  await expect.poll(() => page.locator(".map-marker").count()).toBeGreaterThan(alone);
  await touch("touchEnd");
  await expect.poll(() => inSight(page)).toBeGreaterThan(3);
  // The button tells that the zoom has come to rest.
  await page.locator(".leaflet-control-zoom-out:not(.leaflet-disabled)").waitFor();
  const zoom = await zoomOf(page);
  await page.locator(".map-cluster").last().dispatchEvent("click");
  await expect.poll(() => zoomOf(page)).toBeGreaterThan(zoom * 1.5);
  expect(complaints).toEqual([]);
});

it("a sign beyond the edge comes into sight when a key brings the focus to it", async () => {
  const { page } = await site.visit({ reducedMotion: "reduce" });
  const box = await openMap(page);
  await page.locator(".map-view").focus();
  for (let step = 0; step < 2; step++) await page.keyboard.press("+");
  const count = await page.locator(SIGNS).count();
  expect(await inSight(page)).toBeLessThan(count);
  for (let tab = 0; tab < count; tab++) {
    await page.keyboard.press("Tab");
    const focused = page.locator(":focus");
    if (!(await focused.evaluate((element) => element.matches("[role=button]")))) break;
    // The browser scrolls to it as well, which the map undoes in the next frame.
    await expect
      .poll(async () => {
        const { x, y } = await middleOf(focused);
        return [x > box.x, x < box.x + box.width, y > box.y, y < box.y + box.height];
      })
      .toEqual(Array(4).fill(true));
  }
});
