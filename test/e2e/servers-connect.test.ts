import { describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";
import { useThreeServers } from "../helpers/three-servers.ts";

const site = useBrowserSite();
useThreeServers(site);

describe("the address of a server", () => {
  const button = { name: "Copy the address" };

  it("is copied by one button, which says so", async () => {
    const { page, context, complaints } = await site.visit({
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.goto("/en/servers/a", { waitUntil: "networkidle" });
    await page.getByRole("button", button).click();
    await page.getByText("Copied.").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("127.0.0.1:22003");
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("is there to be selected without script, and no button that does nothing", async () => {
    const { page, context } = await site.visit({ javaScriptEnabled: false });
    await page.goto("/en/servers/a");
    expect(await page.getByText("127.0.0.1:22003").isVisible()).toBe(true);
    expect(await page.getByRole("button", button).count()).toBe(0);
    await context.close();
  });
});
