import { describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();
const PHONE = { width: 390, height: 844 };

/** The first of what a page is about. */
const CONTENT: [string, string][] = [
  ["/servers", "table.servers tbody tr"],
  ["/items", ".entry-table tbody tr"],
  ["/donate", ".shop-card"],
];

describe.each([true, false])("on a phone, with script: %s", (javaScriptEnabled) => {
  it.each(CONTENT)("%s begins on the first screen", async (path, first) => {
    const { page, context } = await site.visit({ javaScriptEnabled, viewport: PHONE });
    for (const language of ["en", "ru"]) {
      await page.goto(`/${language}${path}`);
      const box = await page.locator(`main ${first}`).first().boundingBox();
      // Its name is to be seen, not only its edge.
      expect((box?.y ?? Number.POSITIVE_INFINITY) + 48, `${language}${path}`).toBeLessThan(PHONE.height);
    }
    await context.close();
  });

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
});
