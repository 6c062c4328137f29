import { describe, expect, it } from "vitest";
import { register, useBrowserSite } from "../helpers/browser.ts";
import { plainSpaces } from "../helpers/html.ts";

const site = useBrowserSite();

describe("the chart of an item's prices", () => {
  it("shows the price at the pointer, and with the arrow keys, without moving anything", async () => {
    const { page, complaints } = await site.visit();
    await page.goto("/donate/vip-gold");
    const rows = page.locator("[data-price-steps] tbody tr");
    const price = async (fromNewest: number) =>
      plainSpaces((await rows.nth(fromNewest).locator("td").first().textContent()) ?? "").trim();
    const readOut = page.locator("[data-read-out]");
    const said = async () => plainSpaces((await readOut.textContent()) ?? "");
    const chart = page.locator("svg.price-chart");
    await chart.scrollIntoViewIfNeeded();
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    const box = await chart.boundingBox();
    if (!box) throw new Error("no chart");
    await page.mouse.move(box.x + 2, box.y + box.height / 2);
    const oldest = (await rows.count()) - 1;
    await expect.poll(said).toContain(`: ${await price(oldest)}`);
    await page.mouse.move(box.x + box.width - 1, box.y + box.height / 2);
    await expect.poll(said).toContain(`: ${await price(0)}`);
    expect(await said()).toContain("Gold weekend");
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(height);
    await page.mouse.move(0, 0);
    await expect.poll(said).toBe("");
    await page.keyboard.press("Tab");
    await chart.focus();
    await page.keyboard.press("Home");
    await expect.poll(said).toContain(`: ${await price(oldest)}`);
    await page.keyboard.press("ArrowRight");
    await expect.poll(said).toContain(`: ${await price(oldest - 1)}`);
    expect(complaints).toEqual([]);
  });
});

describe.each([true, false])("a price alert, with script: %s", (javaScriptEnabled) => {
  it("is set on an item's page, changed among the favorites, and refused with what was typed kept", async () => {
    const { page, complaints } = await site.visit({ javaScriptEnabled });
    await register(page, javaScriptEnabled ? "watcher" : "watcher-still");
    await page.goto("/donate/vip-silver");
    const field = () => page.getByLabel(/^Price alert \(EUR\)/);
    await field().fill("abc");
    await page.getByRole("button", { name: /^Save/ }).click();
    await page.getByText("must be a number such as 12.50").waitFor();
    expect(await field().inputValue()).toBe("abc");
    await field().fill("3,49");
    await page.getByRole("button", { name: /^Save/ }).click();
    await page.waitForURL("**/donate/vip-silver");
    expect(await field().inputValue()).toBe("3.49");
    await page.goto("/favorites");
    expect(await field().inputValue()).toBe("3.49");
    await field().fill("2.99");
    await page.keyboard.press("Enter");
    await page.getByText(/We’ll tell you when Silver VIP, 30 days costs 2.99/).waitFor();
    expect(await field().inputValue()).toBe("2.99");
    // The browser reports the form that was refused on purpose.
    expect(complaints.filter((said) => !said.includes("400 (Bad Request)"))).toEqual([]);
  });
});
