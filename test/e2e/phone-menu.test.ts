import { describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();
const PHONE = { width: 390, height: 844 };
const SOON = { timeout: 30_000 };

describe.each([true, false])("on a phone, with script: %s", (javaScriptEnabled) => {
  it("a button opens the menu over the page, and moves nothing", async () => {
    const { page, context } = await site.visit({ javaScriptEnabled, viewport: PHONE });
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
    await context.close();
  });

  it("filters are a sheet, whose button shows their number", async () => {
    const { page, context } = await site.visit({ javaScriptEnabled, viewport: PHONE });
    await page.goto("/en/items");
    const sheet = page.locator("details.filters");
    await page.locator(".filters > summary").click();
    expect(await sheet.boundingBox()).toEqual({ x: 0, y: 0, ...PHONE });
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
    await expect
      .poll(() => sheet.evaluate((element) => (element as HTMLDetailsElement).open), SOON)
      .toBe(false);
    await page.waitForURL(/[?&]a\./);
    expect(await page.locator(".filters > summary").innerText()).toMatch(/Filters\s\(1\)/);
    const count = (await page.locator(".list-bar .kind").textContent()) ?? "";
    if (javaScriptEnabled) expect(`Show ${count.split(" ")[0]}`).toBe(said);
    expect(await page.locator(".entry-table tbody tr").first().isVisible()).toBe(true);
    await context.close();
  });
});

describe("the sheet of filters", () => {
  it("closes by Escape, and when the focus leaves it", async () => {
    const { page, context } = await site.visit({ viewport: PHONE });
    await page.goto("/en/items");
    const sheet = page.locator("details.filters");
    const isOpen = () => sheet.evaluate((element) => (element as HTMLDetailsElement).open);
    await page.locator(".filters > summary").click();
    await page.locator("#list-sort").focus();
    await page.keyboard.press("Escape");
    expect(await isOpen()).toBe(false);
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("SUMMARY");
    await page.keyboard.press("Enter");
    expect(await isOpen()).toBe(true);
    await page.keyboard.press("Shift+Tab");
    await expect.poll(isOpen).toBe(false);
    await context.close();
  });
});

describe("beside a list", () => {
  const WIDE = { width: 1280, height: 800 };

  it("the panel ends within the window, at the page's top and below it", async () => {
    const { page, context } = await site.visit({ viewport: WIDE });
    await page.goto("/en/items");
    for (const top of [0, 600]) {
      await page.evaluate((y) => window.scrollTo(0, y), top);
      await page.locator(".filter-panel").evaluate((panel) => panel.scrollTo(0, panel.scrollHeight));
      const bottom = () =>
        page.locator("[data-apply]").evaluate((button) => button.getBoundingClientRect().bottom);
      await expect.poll(bottom, { message: `scrolled by ${top}` }).toBeLessThanOrEqual(WIDE.height);
      const panel = await page.locator(".filter-panel").boundingBox();
      expect((panel?.y ?? 0) + (panel?.height ?? Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(WIDE.height);
    }
    await context.close();
  });

  it("the panel shows, before it is scrolled, its button, and that filters go on below it", async () => {
    const { page, context } = await site.visit({ viewport: WIDE });
    for (const path of ["/en/items", "/ru/vehicles", "/en/houses"]) {
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
    await context.close();
  });

  it("many categories are found by a field, and without script are all there", async () => {
    for (const javaScriptEnabled of [true, false]) {
      const { page, context } = await site.visit({ viewport: WIDE, javaScriptEnabled });
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
      await context.close();
    }
  });
});
