import { describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

describe("a page", () => {
  it("asks no other host for anything", async () => {
    const { page, context } = await site.visit();
    const hosts = new Set<string>();
    page.on("request", (request) => hosts.add(new URL(request.url()).origin));
    for (const path of ["/", "/items/weapon-24", "/servers/ls-one", "/donate"]) {
      await page.goto(path, { waitUntil: "networkidle" });
    }
    await context.close();
    expect([...hosts]).toEqual([site.url]);
  });

  it("can be read from its beginning by keyboard: the first stop skips to the content", async () => {
    const { page, context } = await site.visit();
    await page.goto("/items");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
    await context.close();
  });

  it("that does not exist is an error page with a way on", async () => {
    const { page, context } = await site.visit();
    const answer = await page.goto("/nowhere");
    expect(answer?.status()).toBe(404);
    expect(await page.locator("main").textContent()).toContain("Not found");
    expect(await page.locator("form[role=search]").count()).toBeGreaterThan(0);
    await context.close();
  });
});
