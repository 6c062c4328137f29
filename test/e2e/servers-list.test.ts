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

describe("the list of servers", () => {
  it("is sorted by a heading and by the form, filtered, and searched in spite of a typing error", async () => {
    const { page, complaints } = await site.visit();
    await page.goto("/servers");
    expect(await listed(page)).toEqual(["Beta", "Gamma", "Alpha"]);
    expect(await page.locator('th[aria-sort="descending"]').textContent()).toContain("Online");
    await page.getByRole("link", { name: "Online" }).click();
    await page.waitForURL("**/servers?sort=online");
    expect(await listed(page)).toEqual(["Alpha", "Gamma", "Beta"]);
    expect(await page.locator('th[aria-sort="ascending"]').textContent()).toContain("Online");
    await page.getByLabel("Sort", { exact: true }).selectOption("Name, Z to A");
    await page.waitForURL("**sort=-name**");
    await expect.poll(() => listed(page)).toEqual(["Gamma", "Beta", "Alpha"]);

    await page.getByLabel("Game").selectOption("SA-MP");
    await page.getByLabel("Not full").check();
    await page.waitForURL("**not_full=1**");
    await expect.poll(() => listed(page)).toEqual(["Gamma"]);
    expect(await page.locator(".server-shown").textContent()).toContain("1 of 3 servers");
    expect(page.url()).toContain("sort=-name");
    await page.getByRole("link", { name: "Show all" }).click();
    await page.waitForURL("**/servers?sort=-name");

    await page.getByRole("searchbox", { name: "Name or address" }).fill("gama");
    await page.waitForURL("**q=gama**");
    await page.locator(".server-shown", { hasText: "1 of 3 servers" }).waitFor();
    expect(await listed(page)).toEqual(["Gamma"]);
    expect(complaints).toEqual([]);
  });

  it("has the user's favorites first", async () => {
    const { page } = await site.visit();
    await register(page, "fan");
    const { id } = await site.database.db("users").where({ name: "fan" }).first("id");
    await site.database.db("server_favorites").insert({ user_id: id, server_id: "c" });
    await page.goto("/servers");
    await page.getByLabel("Favorites first").check();
    await page.waitForURL("**favorites_first=1**");
    await expect.poll(() => listed(page)).toEqual(["Gamma", "Beta", "Alpha"]);
  });
});

describe("a server's page", () => {
  it("has a link to each range of its chart, and a button that copies its address", async () => {
    const { page, complaints } = await site.visit({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto("/en/servers/a");
    for (const [choice, heading] of [
      ["7 days", "The last 7 days"],
      ["1 year", "The last year"],
    ] as const) {
      const ranges = page.getByRole("navigation", { name: "Chart range" });
      await ranges.getByRole("link", { name: choice }).click();
      await page.getByRole("heading", { name: heading, exact: true }).waitFor();
      expect(await page.locator(".chips [aria-current]").textContent()).toBe(choice);
    }
    expect(page.url()).toContain("?range=1y");
    await page.getByRole("button", { name: "Copy the address" }).click();
    await page.getByText("Copied.").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("127.0.0.1:22003");
    expect(complaints).toEqual([]);
  });
});
