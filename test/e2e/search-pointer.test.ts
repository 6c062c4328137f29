import { describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";
import { visitAndType, visitBox } from "../helpers/search-box.ts";

const site = useBrowserSite();

describe("the search box by the mouse", () => {
  it("is used by the mouse", async () => {
    const { page, context, option } = await visitAndType(site, "infer", "Infernus");
    await option.hover();
    await option.click();
    await page.waitForURL("**/vehicles/411");
    await context.close();
  });
});

describe("on a phone", () => {
  const PHONE = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };

  it.each(["/", "/servers"])(
    "uses the width of the screen, and rows that a finger hits, at %s",
    async (path) => {
      const { page, context, input } = await visitBox(site, path, PHONE);
      await input.tap();
      await input.fill("gun");
      await page.locator(".suggestions [role=option]").first().waitFor();
      const list = await page.locator(".suggestions").boundingBox();
      expect(list).toMatchObject({ x: 0, width: 390 });
      expect((list?.y ?? 0) + (list?.height ?? 0)).toBeLessThanOrEqual(700);
      for (const option of await page.locator(".suggestions [role=option]").all()) {
        expect((await option.boundingBox())?.height).toBeGreaterThanOrEqual(44);
      }
      const option = page.locator(".suggestions [role=option]").first();
      const href = await option.getAttribute("href");
      await option.tap();
      await page.waitForURL(`**${href}`);
      await context.close();
    },
  );

  it("ends above the keyboard", async () => {
    const { page, context, input } = await visitBox(site, "/", PHONE);
    await input.tap();
    await input.fill("gun");
    await page.locator(".suggestions [role=option]").first().waitFor();
    // What the keyboard leaves of the screen: Chromium's own emulation has none.
    await page.evaluate(() => {
      const screen = window.visualViewport;
      Object.defineProperty(screen, "height", { value: 330 });
      screen?.dispatchEvent(new Event("resize"));
    });
    const list = await page.locator(".suggestions").boundingBox();
    expect((list?.y ?? 0) + (list?.height ?? 0)).toBeLessThanOrEqual(330);
    expect(list?.height).toBeGreaterThan(160);
    await context.close();
  });
});
