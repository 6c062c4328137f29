import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { register, useBrowserSite } from "../helpers/browser.ts";
import { useThreeServers } from "../helpers/three-servers.ts";

const site = useBrowserSite();
useThreeServers(site);

async function listed(page: Page): Promise<string[]> {
  const names = await page.locator(".server-name > a").allTextContents();
  return names.map((name) => name.trim());
}

describe.each([{ javaScriptEnabled: true }, { javaScriptEnabled: false }])(
  "the list, with script: $javaScriptEnabled",
  (options) => {
    it("is sorted by a heading and by the form", async () => {
      const { page, complaints } = await site.visit(options);
      await page.goto("/servers");
      expect(await listed(page)).toEqual(["Beta", "Gamma", "Alpha"]);
      expect(await page.locator('th[aria-sort="descending"]').textContent()).toContain("Online");
      await page.getByRole("link", { name: "Online" }).click();
      await page.waitForURL("**/servers?sort=online");
      expect(await listed(page)).toEqual(["Alpha", "Gamma", "Beta"]);
      expect(await page.locator('th[aria-sort="ascending"]').textContent()).toContain("Online");
      await page.getByLabel("Sort", { exact: true }).selectOption("Name, Z to A");
      if (!options.javaScriptEnabled) await page.getByRole("button", { name: "Show", exact: true }).click();
      await page.waitForURL("**sort=-name**");
      expect(await listed(page)).toEqual(["Gamma", "Beta", "Alpha"]);
      expect(complaints).toEqual([]);
    });

    it("is filtered, counts what is left, and keeps the order", async () => {
      const { page } = await site.visit(options);
      await page.goto("/servers?sort=online");
      await page.getByLabel("Game").selectOption("SA-MP");
      await page.getByLabel("Not full").check();
      if (!options.javaScriptEnabled) await page.getByRole("button", { name: "Show", exact: true }).click();
      await page.waitForURL("**not_full=1**");
      expect(await listed(page)).toEqual(["Gamma"]);
      expect(await page.locator(".server-shown").textContent()).toContain("1 of 3 servers");
      expect(page.url()).toContain("sort=online");
      await page.getByRole("link", { name: "Show all" }).click();
      await page.waitForURL("**/servers?sort=online");
    });

    it("is searched by name, with a typing error too", async () => {
      const { page } = await site.visit(options);
      await page.goto("/servers");
      await page.getByRole("searchbox", { name: "Name or address" }).fill("gama");
      if (!options.javaScriptEnabled) await page.keyboard.press("Enter");
      await page.waitForURL("**/servers?q=gama**");
      await page.locator(".server-shown", { hasText: "1 of 3 servers" }).waitFor();
      expect(await listed(page)).toEqual(["Gamma"]);
      await page.getByRole("link", { name: "Show all" }).click();
      await page.waitForURL("**/servers");
      expect(await listed(page)).toHaveLength(3);
    });

    it("has the user's favorites first", async () => {
      const { page } = await site.visit(options);
      await register(page, `fan ${options.javaScriptEnabled}`);
      await page.goto("/servers/c");
      await page.locator("main form.favorite button").click();
      await page.locator('main form.favorite button[aria-pressed="true"]:not([aria-busy])').waitFor();
      await page.goto("/servers");
      await page.getByLabel("Favorites first").check();
      if (!options.javaScriptEnabled) await page.getByRole("button", { name: "Show", exact: true }).click();
      await page.waitForURL("**favorites_first=1**");
      expect(await listed(page)).toEqual(["Gamma", "Beta", "Alpha"]);
    });

    it("leads from range to range of a server", async () => {
      const { page, complaints } = await site.visit(options);
      await page.goto("/servers/a");
      for (const [choice, heading] of [
        ["7 days", "The last 7 days"],
        ["1 year", "The last year"],
      ] as const) {
        await page
          .getByRole("navigation", { name: "Chart range" })
          .getByRole("link", { name: choice })
          .click();
        await page.getByRole("heading", { name: heading, exact: true }).waitFor();
        expect(await page.locator(".chips [aria-current]").textContent()).toBe(choice);
      }
      expect(page.url()).toContain("?range=1y");
      expect(complaints).toEqual([]);
    });
  },
);

describe("the address of a server", () => {
  const button = { name: "Copy the address" };

  it("is copied by one button, which says so", async () => {
    const { page, complaints } = await site.visit({
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.goto("/en/servers/a");
    await page.getByRole("button", button).click();
    await page.getByText("Copied.").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("127.0.0.1:22003");
    expect(complaints).toEqual([]);
  });
});
