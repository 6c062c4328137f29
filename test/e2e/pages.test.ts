import { describe, expect, it } from "vitest";
import { register, useBrowserSite } from "../helpers/browser.ts";

const PAGES = [
  "/",
  "/search?q=gold",
  "/items",
  "/items/weapon-24",
  "/vehicles",
  "/vehicles/411",
  "/scripts",
  "/houses",
  "/businesses",
  "/servers",
  "/servers/ls-one",
  "/donate",
  "/donate/vip-gold",
  "/nicknames?country=pl&seed=a",
  "/login",
  "/register",
  "/docs/api",
  "/docs/errors",
];
const PRIVATE_PAGES = ["/profile", "/favorites", "/notifications"];

const site = useBrowserSite();

describe.each([
  { width: 1280, height: 800, colorScheme: "light" as const },
  { width: 390, height: 844, colorScheme: "dark" as const },
])("pages at $width pixels, $colorScheme", ({ width, height, colorScheme }) => {
  it("fit the window, have one heading and no complaint of the browser", { timeout: 120_000 }, async () => {
    const { page, context, complaints } = await site.visit({ viewport: { width, height }, colorScheme });
    await register(page, `tourist ${width}`);
    const faults: string[] = [];
    for (const path of [...PAGES, ...PRIVATE_PAGES]) {
      await page.goto(path, { waitUntil: "networkidle" });
      const seen = await page.evaluate(() => ({
        overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        headings: document.querySelectorAll("h1").length,
      }));
      if (seen.overflow > 0) faults.push(`${path} is ${seen.overflow} pixels too wide`);
      if (seen.headings !== 1) faults.push(`${path} has ${seen.headings} main headings`);
      for (const complaint of complaints.splice(0)) faults.push(`${path}: ${complaint}`);
    }
    await context.close();
    expect(faults).toEqual([]);
  });
});

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

  it("sets no cookie on a visitor", async () => {
    const { page, context } = await site.visit();
    for (const path of PAGES) await page.goto(path);
    expect(await context.cookies()).toEqual([]);
    await context.close();
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
