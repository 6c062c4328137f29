import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

const PHONE = { width: 390, height: 844 };
const SOON = { timeout: 30_000 };

describe.each([true, false])("on a phone, with script: %s", (javaScriptEnabled) => {
  it("opens the menu over the page by a button, and moves nothing", async () => {
    const { page } = await site.visit({ javaScriptEnabled, viewport: PHONE });
    await page.goto("/en/items");
    const link = page.getByRole("link", { name: "Servers", exact: true });
    const row = page.locator(".entry-table tbody tr").first();
    const before = await row.boundingBox();
    expect(await link.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Menu" }).click();
    expect(await link.isVisible()).toBe(true);
    expect(await page.getByRole("link", { name: "Log in" }).isVisible()).toBe(true);
    expect(await row.boundingBox()).toEqual(before);
    await page.keyboard.press("Escape");
    expect(await link.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Menu" }).press("Enter");
    await link.click();
    await page.waitForURL(/servers/);
    expect(await link.isVisible()).toBe(false);
  });

  it("shows filters as a sheet, which closes by Escape, by Shift+Tab and by its button", async () => {
    const { page } = await site.visit({ javaScriptEnabled, viewport: PHONE });
    await page.goto("/en/items");
    const sheet = page.locator("details.filters");
    const isOpen = () => sheet.evaluate((element) => (element as HTMLDetailsElement).open);
    await page.locator(".filters > summary").click();
    expect(await sheet.boundingBox()).toEqual({ x: 0, y: 0, ...PHONE });
    if (javaScriptEnabled) {
      await page.locator("#list-sort").focus();
      await page.keyboard.press("Escape");
      expect(await isOpen()).toBe(false);
      expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("SUMMARY");
      await page.keyboard.press("Enter");
      expect(await isOpen()).toBe(true);
      await page.keyboard.press("Shift+Tab");
      await expect.poll(isOpen).toBe(false);
      await page.locator(".filters > summary").click();
    }
    const apply = page.locator("[data-apply]");
    const text = () => apply.evaluate((button) => (button as HTMLElement).innerText.trim());
    const all = await text();
    expect(all).toMatch(javaScriptEnabled ? /^Show \d+$/ : /^Apply$/);
    expect(((await apply.boundingBox())?.y ?? Number.POSITIVE_INFINITY) + 40).toBeLessThanOrEqual(
      PHONE.height,
    );
    await page.locator("#list-filter input[type=checkbox]").first().check();
    if (javaScriptEnabled) await expect.poll(text, SOON).not.toBe(all);
    const said = await text();
    await apply.click();
    await expect.poll(isOpen, SOON).toBe(false);
    await page.waitForURL(/[?&]a\./);
    expect(await page.locator(".filters > summary").innerText()).toMatch(/Filters\s\(1\)/);
    const count = (await page.locator(".list-bar .kind").textContent()) ?? "";
    if (javaScriptEnabled) expect(`Show ${count.split(" ")[0]}`).toBe(said);
    expect(await page.locator(".entry-table tbody tr").first().isVisible()).toBe(true);
  });
});

describe("beside a list", () => {
  const WIDE = { width: 1280, height: 800 };

  it("keeps the button of the filter panel in sight, and shows that filters continue below it", async () => {
    const { page } = await site.visit({ viewport: WIDE });
    for (const path of ["/en/houses", "/ru/vehicles", "/en/items"]) {
      await page.goto(path);
      const panel = page.locator(".filter-panel");
      const { hidden, fade } = await panel.evaluate((element) => {
        const style = getComputedStyle(element.querySelector(".facet-actions") as Element, "::before");
        return {
          hidden: element.scrollHeight - element.clientHeight,
          fade: style.backgroundImage.startsWith("linear-gradient") ? Number.parseFloat(style.height) : 0,
        };
      });
      expect(hidden, path).toBeGreaterThan(0);
      expect(fade, path).toBeGreaterThan(20);
      const [box, button] = [await panel.boundingBox(), await page.locator("[data-apply]").boundingBox()];
      const end = (box?.y ?? 0) + (box?.height ?? 0);
      expect(end - ((button?.y ?? 0) + (button?.height ?? 0)), path).toBeLessThan(20);
      expect(button?.y, path).toBeLessThan(end);
    }
    for (const top of [0, 600]) {
      await page.evaluate((y) => window.scrollTo(0, y), top);
      await page.locator(".filter-panel").evaluate((panel) => panel.scrollTo(0, panel.scrollHeight));
      const bottom = () =>
        page.locator("[data-apply]").evaluate((button) => button.getBoundingClientRect().bottom);
      await expect.poll(bottom, { message: `scrolled by ${top}` }).toBeLessThanOrEqual(WIDE.height);
      const panel = await page.locator(".filter-panel").boundingBox();
      expect((panel?.y ?? 0) + (panel?.height ?? Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(WIDE.height);
    }
  });

  it("finds one of many categories by a field, and shows all of them without script", async () => {
    for (const javaScriptEnabled of [true, false]) {
      const { page } = await site.visit({ viewport: WIDE, javaScriptEnabled });
      await page.goto("/en/items");
      const field = page.getByLabel("Find a category");
      const shown = page.locator(".facets [data-findable]").filter({ visible: true });
      expect(await field.isVisible()).toBe(javaScriptEnabled);
      expect(await shown.count()).toBe(10);
      if (javaScriptEnabled) {
        await field.fill("melee");
        expect(await shown.allTextContents()).toEqual([expect.stringContaining("Melee weapons")]);
        await shown.last().evaluate((place) => place.append("Große Łódź, Østerbro Ёж"));
        for (const typed of ["lodz grosse", "OSTERBRO", "еж"]) {
          await field.fill(typed);
          expect(await shown.allTextContents(), typed).toEqual([expect.stringContaining("Łódź")]);
        }
        await field.fill("qqqq");
        expect(await page.getByText("No such category.").isVisible()).toBe(true);
        await field.fill("");
      }
      if (!javaScriptEnabled) await page.locator("#more-categories > summary").click();
      expect(await shown.count()).toBeGreaterThan(10);
    }
  });
});

describe("on a phone", () => {
  it("folds what narrows a list until it is unfolded or used", async () => {
    const { page } = await site.visit({ viewport: PHONE });
    for (const [path, name] of [
      ["/en/servers", "Filters"],
      ["/en/donate", "Sort and filter"],
    ] as const) {
      await page.goto(path);
      const form = page.locator("#list-filter");
      expect(await form.isVisible()).toBe(false);
      await page.locator("summary", { hasText: name }).click();
      expect(await form.isVisible()).toBe(true);
    }
    await page.goto("/en/servers?not_empty=1");
    expect(await page.locator("#list-filter").isVisible()).toBe(true);
  });

  it("folds options of nicknames until they are chosen or refused", async () => {
    const { page } = await site.visit({ viewport: PHONE });
    const first = page.locator("#first");
    for (const [query, isOpen] of [
      ["", false],
      ["?country=pl&mode=real&sex=any&first=&last=&max_len=20&min_len=3&count=10", false],
      ["?first=R2D2", true],
      ["?mode=mixed", true],
    ] as const) {
      await page.goto(`/en/nicknames${query}`);
      expect(await first.isVisible(), query).toBe(isOpen);
    }
  });
});

const WIDE = { width: 1280, height: 800 };

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
    ["/items", PHONE],
  ])(
    "stays in place and shows how many are left; its button leads to the list: %s at %j",
    async (path, viewport) => {
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
      if (viewport === WIDE)
        expect(await isInSight(page.locator(".entry-table tbody tr").first())).toBe(true);
      await page.getByRole("button", { name: /^Show \d/ }).click();
      await expect.poll(() => isInSight(page.locator(".entry-table tbody tr").first()), SOON).toBe(true);
      expect(await isInSight(page.getByRole("heading", { level: 1 }))).toBe(true);
      expect(await page.evaluate(() => document.activeElement?.id)).toBe("list-results");
    },
  );

  it.each([[WIDE], [PHONE]])("leads to the list and its count without script: at %j", async (viewport) => {
    const page = await open("/vehicles", viewport, false);
    await (await lastBox(page)).check();
    await page.getByRole("button", { name: "Apply" }).click();
    await page.waitForURL(/\?/);
    expect(await isInSight(page.getByRole("heading", { level: 1 }))).toBe(true);
    expect(await isInSight(page.locator(".entry-table tbody tr").first())).toBe(true);
  });
});

describe("nicknames", () => {
  it.each([
    [WIDE, 100, true],
    [WIDE, 100, false],
    [PHONE, 30, true],
    [PHONE, 30, false],
  ])(
    "stay in sight beside their button, at %j, %i of them; script: %s",
    async (viewport, count, isScripted) => {
      const page = await open(`/en/nicknames?count=${count}`, viewport, isScripted);
      const names = page.locator("[data-nicknames] code");
      const button = page.locator("[data-generate]");
      for (const _press of [1, 2]) {
        const before = await names.allTextContents();
        await button.click();
        await expect.poll(() => names.allTextContents(), SOON).not.toEqual(before);
        for (const shown of [button, names.first(), names.nth(5), page.locator("#results")])
          await expect.poll(() => isInSight(shown), SOON).toBe(true);
        expect(await names.count()).toBe(count);
      }
      if (!isScripted) return;
      expect(await page.locator("[data-nicknames-status]").textContent()).toBe(`${count} nicknames`);
      expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
    },
  );
});
