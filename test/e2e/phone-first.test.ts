import { describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();
const PHONE = { width: 390, height: 844 };

describe.each([true, false])("on a phone, with script: %s", (javaScriptEnabled) => {
  it("what narrows a list is folded, and there when it is unfolded", async () => {
    const { page, context } = await site.visit({ javaScriptEnabled, viewport: PHONE });
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
    await context.close();
  });

  it("nicknames are generated again and again beside their button", async () => {
    const { page, context } = await site.visit({ javaScriptEnabled, viewport: PHONE });
    await page.goto("/en/nicknames?count=30");
    const names = page.locator("[data-nicknames] code");
    for (const _press of [1, 2]) {
      const before = await names.allTextContents();
      await page.locator("[data-generate]").click();
      await expect.poll(() => names.allTextContents()).not.toEqual(before);
      for (const shown of [page.locator("[data-generate]"), names.nth(5)]) {
        await expect.poll(async () => (await shown.boundingBox())?.y).toBeGreaterThanOrEqual(0);
        const box = await shown.boundingBox();
        expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(PHONE.height);
      }
    }
    await context.close();
  });

  it("options of nicknames are folded until they are chosen or refused", async () => {
    const { page, context } = await site.visit({ javaScriptEnabled, viewport: PHONE });
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
    await context.close();
  });
});
