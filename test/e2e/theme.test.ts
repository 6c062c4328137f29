import { describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();
const WIDE = { viewport: { width: 1280, height: 800 } };
const NARROW = { viewport: { width: 390, height: 844 } };

describe("the switch of day and night", () => {
  it("follows the system until somebody chooses, and keeps what they chose", async () => {
    const { page, context } = await site.visit({ ...WIDE, colorScheme: "dark" });
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
    await context.close();

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
    await context.close();
  });

  it.each([
    ["in the header of a wide page", WIDE, "header"],
    ["in the footer of a narrow one", NARROW, "footer"],
  ])("is there once, %s", async (_, size, place) => {
    const { page, context } = await site.visit(size);
    await page.goto("/en/items");
    const groups = page.getByRole("group", { name: "Appearance" });
    expect(await groups.count()).toBe(1);
    expect(await page.locator(place, { has: groups }).count()).toBe(1);
    await context.close();
  });

  it("is not there without script, and the system's theme is", async () => {
    const { page, context } = await site.visit({ ...WIDE, javaScriptEnabled: false });
    await page.goto("/en/items");
    expect(await page.getByRole("group", { name: "Appearance" }).count()).toBe(0);
    expect(await page.getByRole("navigation", { name: "Language" }).count()).toBe(1);
    await context.close();
  });
});
