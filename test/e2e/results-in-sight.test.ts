import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
const SOON = { timeout: 30_000 };

/** Whether the whole of an element is in the window, with nothing over it. */
function isInSight(place: Locator): Promise<boolean> {
  return place.evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    const isUpper = over !== null && (element.contains(over) || over.contains(element));
    return top >= 0 && bottom <= window.innerHeight && isUpper;
  });
}

async function open(path: string, viewport: typeof WIDE, javaScriptEnabled = true): Promise<Page> {
  const { page } = await site.visit({ viewport, javaScriptEnabled });
  await page.goto(path);
  return page;
}

describe("a filter far down a long list", () => {
  /** The last box that is to be seen, scrolled to as a reader does. */
  async function lastBox(page: Page): Promise<Locator> {
    const folded = page.locator("details.filters > summary");
    if (await folded.isVisible()) await folded.click();
    const shown = page.locator("#list-filter > .facet > ul input[type=checkbox]");
    await shown.last().scrollIntoViewIfNeeded();
    const id = await shown.last().getAttribute("id");
    return page.locator(`#${id}`);
  }

  it.each([
    ["/vehicles", WIDE],
    ["/houses", WIDE],
    ["/items", PHONE],
    ["/houses", PHONE],
  ])("leaves the box, and shows how many are left: %s at %j", async (path, viewport) => {
    const page = await open(path, viewport);
    const box = await lastBox(page);
    const top = () => box.evaluate((element) => element.getBoundingClientRect().top);
    const before = await top();
    await box.check();
    await expect.poll(() => page.locator("#list-status").textContent(), SOON).not.toBe("");
    const count = (await page.locator("#list-status").textContent()) ?? "";
    expect(count).toMatch(/^\d+ \w+/);
    expect(await isInSight(box)).toBe(true);
    expect(Math.abs((await top()) - before)).toBeLessThan(viewport === WIDE ? 60 : 200);
    expect(await box.evaluate((element) => element === document.activeElement)).toBe(true);
    // Over the list, and in the button that closes the sheet of a phone.
    const figure = /^\d+/.exec(count)?.[0];
    const told = page
      .locator(".list-bar .kind, [data-apply]")
      .filter({ hasText: new RegExp(`(?<!\\d)${figure}(?!\\d)`) });
    expect(await Promise.all((await told.all()).map(isInSight))).toContain(true);
    if (viewport === WIDE) expect(await isInSight(page.locator(".entry-table tbody tr").first())).toBe(true);
    await page.context().close();
  });

  it.each([[WIDE], [PHONE]])(
    "is done with by its button, which leads to the list: at %j",
    async (viewport) => {
      const page = await open("/vehicles", viewport);
      await (await lastBox(page)).check();
      await expect.poll(() => page.locator("#list-status").textContent(), SOON).not.toBe("");
      await page.getByRole("button", { name: /^Show \d/ }).click();
      await expect.poll(() => isInSight(page.locator(".entry-table tbody tr").first()), SOON).toBe(true);
      expect(await isInSight(page.getByRole("heading", { level: 1 }))).toBe(true);
      expect(await page.evaluate(() => document.activeElement?.id)).toBe("list-results");
      await page.context().close();
    },
  );

  it.each([[WIDE], [PHONE]])("without script leads to the list and its count: at %j", async (viewport) => {
    const page = await open("/vehicles", viewport, false);
    await (await lastBox(page)).check();
    await page.getByRole("button", { name: "Apply" }).click();
    await page.waitForURL(/\?/);
    expect(await isInSight(page.getByRole("heading", { level: 1 }))).toBe(true);
    expect(await isInSight(page.locator(".entry-table tbody tr").first())).toBe(true);
    await page.context().close();
  });
});

describe("nicknames", () => {
  const first = (page: Page) => page.locator("[data-nicknames] code").first();

  it.each([
    [WIDE, 10],
    [WIDE, 100],
    [PHONE, 10],
  ])("are in sight once they are asked for: at %j, %i of them", async (viewport, count) => {
    const page = await open("/nicknames", viewport);
    if (viewport === PHONE) await page.getByText("More options").click();
    await page.getByLabel("How many").fill(String(count));
    await expect.poll(() => page.locator("[data-nicknames] code").count(), SOON).toBe(count);
    const before = await first(page).textContent();
    await page.locator("[data-generate]").click();
    await expect.poll(() => first(page).textContent(), SOON).not.toBe(before);
    await expect.poll(() => isInSight(first(page)), SOON).toBe(true);
    expect(await isInSight(page.locator("#results"))).toBe(true);
    expect(await page.locator("[data-nicknames-status]").textContent()).toBe(`${count} nicknames`);
    const hasFocus = (element: Element) => element === document.activeElement;
    expect(await page.locator("[data-generate]").evaluate(hasFocus)).toBe(true);
    await page.context().close();
  });

  it.each([[WIDE], [PHONE]])("are in sight without script: at %j", async (viewport) => {
    const page = await open("/nicknames", viewport, false);
    await page.getByLabel("Country").selectOption("pl");
    await page.locator("[data-generate]").click();
    await page.waitForURL(/country=pl/);
    expect(await isInSight(page.locator("#results"))).toBe(true);
    expect(await isInSight(first(page))).toBe(true);
    await page.context().close();
  });
});
