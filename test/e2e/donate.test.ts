import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { register, useBrowserSite } from "../helpers/browser.ts";
import { HOUR_MS } from "../helpers/donate.ts";
import { plainSpaces } from "../helpers/html.ts";

const site = useBrowserSite();

/** Registers an account and makes it an operator, in a time zone. */
async function enterAsOperator(page: Page, name: string, timeZone: string | null): Promise<void> {
  await register(page, name);
  await site.database.db("users").where({ name }).update({ role: "operator", time_zone: timeZone });
}

async function findStored(title: string) {
  return site.database.db("discounts").where({ title }).first();
}

const main = (page: Page) => page.locator("main");
const widthOf = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth);

// First: later tests change the shop's discounts.
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

describe("the shop's cards", () => {
  it("have a star for a favorite, whose name only screen readers get", async () => {
    const { page } = await site.visit();
    await page.goto("/donate");
    const star = page.locator(".shop-card").filter({ hasText: "Gold VIP, 30 days" }).locator("a.button");
    await expect.poll(() => star.getAttribute("href")).toContain("favorite=donate");
    expect(await star.evaluate((link) => link.getBoundingClientRect().width)).toBeLessThan(50);
    expect((await star.textContent())?.replace(/\s+/g, " ")).toContain("Favorite: ");
    const label = await star.locator(".favorite-label").boundingBox();
    expect(label?.width).toBeLessThanOrEqual(1);
  });
});

describe("the shop", () => {
  it("is narrowed and ordered in place, and leads to an item with its prices in two languages", async () => {
    const { page, complaints } = await site.visit();
    await page.goto("/en/donate");
    const sort = page.getByLabel("Sort", { exact: true });
    await sort.selectOption("cheapest");
    await page.getByLabel(/On sale only/).check();
    await page.waitForURL(/\/donate\?(q=&)?sort=cheapest&sale=1$/);
    await page.getByRole("link", { name: /^VIP status/ }).click();
    await page.waitForURL("**/donate?category=VIP+status&sale=1&sort=cheapest");
    expect(await sort.inputValue()).toBe("cheapest");
    expect(await page.locator(".shop .badge.is-sale").count()).toBe(await page.locator(".shop h2").count());
    await page.getByRole("link", { name: "Gold VIP, 30 days", exact: true }).first().click();
    await page.waitForURL("**/en/donate/vip-gold");
    expect(await page.locator(".time-left").first().innerText()).toMatch(/^\d.* left$/);
    await page.getByText("All prices as a table").click();
    await page.locator("details table").getByText("6.99 EUR").first().waitFor();
    await page.getByRole("link", { name: "Русский" }).first().click();
    await page.locator("h1", { hasText: "Золотой VIP на 30 дней" }).waitFor();
    expect(complaints).toEqual([]);
  });
});

describe("an operator", () => {
  it("can plan a discount, change it and withdraw it", async () => {
    const { page, complaints } = await site.visit();
    await enterAsOperator(page, "planner", "Europe/Berlin");
    await page.goto("/operator");
    await main(page).getByRole("link", { name: "Discounts" }).click();
    await main(page).getByRole("link", { name: "New discount" }).click();
    await page.getByLabel("Item", { exact: true }).fill("vip-diamond");
    await page.getByLabel("New price").check();
    await page.getByLabel("Amount").fill("12.50");
    await page.getByLabel("Title (English)").fill("Plan");
    await page.getByLabel("Start (optional)", { exact: true }).fill("2095-03-27T01:30");
    await page.getByLabel("End (optional)", { exact: true }).fill("2095-03-27T02:30");
    await page.getByLabel("Show it in the shop").check();
    await page.getByRole("button", { name: "Preview" }).click();
    await page
      .getByText("End does not exist in Europe/Berlin: clocks there go from 02:00 to 03:00.")
      .waitFor();
    expect(await page.getByLabel("Title (English)").inputValue()).toBe("Plan");
    expect(await page.getByLabel("New price").isChecked()).toBe(true);
    expect(await page.getByLabel("Show it in the shop").isChecked()).toBe(true);
    await page.getByLabel("End (optional)", { exact: true }).fill("2095-03-27T03:30");
    await page.getByRole("button", { name: "Preview" }).click();
    const preview = plainSpaces(await main(page).innerText());
    expect(preview).toContain("12.50 EUR");
    expect(preview).toContain("27 Mar 2095, 01:30 UTC+1 Europe/Berlin");
    expect(preview).toContain("27 Mar 2095, 00:30 UTC");
    expect(preview).toContain("27 Mar 2095, 03:30 UTC+2 Europe/Berlin");
    expect(preview).toMatch(/Length\s+1 h\s+Clocks in Europe\/Berlin go forward by 1 h in between/);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Discount saved.").waitFor();
    expect(await findStored("Plan")).toMatchObject({
      price: "12.50",
      starts_at: new Date("2095-03-27T00:30:00Z"),
      ends_at: new Date("2095-03-27T01:30:00Z"),
      announced: true,
    });

    await main(page)
      .getByRole("link", { name: /Change.*Plan/ })
      .click();
    expect(await page.getByLabel("Start (optional)", { exact: true }).inputValue()).toBe("2095-03-27T01:30");
    await page.getByLabel("Amount").fill("11");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("button", { name: "Keep editing" }).click();
    expect(await page.getByLabel("Amount").inputValue()).toBe("11");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Discount saved.").waitFor();
    expect(await findStored("Plan")).toMatchObject({ price: "11.00", revision: 2 });

    await main(page)
      .getByRole("link", { name: /Withdraw.*Plan/ })
      .click();
    await page.getByRole("button", { name: "Withdraw it" }).click();
    await page.getByText("The discount was withdrawn").waitFor();
    expect(await findStored("Plan")).toBeUndefined();
    expect(complaints.filter((text) => !text.includes("400"))).toEqual([]);
  });

  it("can start one at once from an item's page and end it, on a phone", async () => {
    const { page, complaints } = await site.visit({ viewport: { width: 390, height: 844 } });
    await enterAsOperator(page, "planner on a phone", "Asia/Kathmandu");
    await page.goto("/donate/vip-bronze");
    expect(await widthOf(page)).toBeLessThanOrEqual(390);
    await page.getByRole("link", { name: "New discount for this item" }).click();
    expect(await widthOf(page)).toBeLessThanOrEqual(390);
    await page.getByLabel("Amount").fill("50");
    await page.getByLabel("Title (English)").fill("Now");
    await page.getByRole("button", { name: "Preview" }).click();
    expect(await widthOf(page)).toBeLessThanOrEqual(390);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("It’s running now.").waitFor();
    expect(await widthOf(page)).toBeLessThanOrEqual(390);
    await page.goto("/donate/vip-bronze");
    expect(await main(page).innerText()).toContain("1.50 EUR");
    await page.goto("/operator/discounts");
    const rightOf = async (part: Locator) => {
      const { x, width } = (await part.boundingBox()) ?? { x: 0, width: 0 };
      return x + width;
    };
    const button = main(page).getByRole("link", { name: "New discount" });
    expect(await rightOf(button)).toBe(await rightOf(page.locator(".page-head")));
    await main(page)
      .getByRole("link", { name: /End now.*Now/ })
      .click();
    await page.getByRole("button", { name: "End it now" }).click();
    await page.getByText("The discount has ended.").waitFor();
    await page.goto("/donate/vip-bronze");
    await page.locator("svg.price-chart").waitFor();
    expect(await page.locator(".shop-price").innerText()).toBe("2.99 EUR");
    expect(complaints).toEqual([]);
  });
});

describe("the time zone of a new discount", () => {
  it("is the browser's unless the operator has chosen one, under its current name", async () => {
    for (const [place, timezoneId, name] of [
      ["here", "America/New_York", "America/New_York"],
      ["there", "Asia/Katmandu", "Asia/Kathmandu"],
    ]) {
      const { page } = await site.visit({ timezoneId });
      await enterAsOperator(page, `guest from ${place}`, null);
      await page.goto("/operator/new-discount");
      expect(await page.getByLabel("Time zone for both").inputValue()).toBe(name);
    }
  });
});

describe("the form of a stored discount", () => {
  it("has its times in the browser's zone unless the operator has chosen one, and saving moves none of them", async () => {
    const { page } = await site.visit({ timezoneId: "Asia/Katmandu" });
    await enterAsOperator(page, "guest who changes", null);
    const [starts_at, ends_at] = [new Date("2095-03-27T10:00:30Z"), new Date("2095-03-27T20:00:30Z")];
    const times = { starts_at, ends_at };
    await site.database
      .db("discounts")
      .insert({ id: "far", item_key: "vip-gold", percent: 5, title: "Far", ...times });
    await page.goto("/operator/discounts/far");
    expect(await page.getByLabel("Time zone for both").inputValue()).toBe("Asia/Kathmandu");
    expect(await page.getByLabel("Start (optional)", { exact: true }).inputValue()).toBe("2095-03-27T15:45");
    expect(await page.getByLabel("End (optional)", { exact: true }).inputValue()).toBe("2095-03-28T01:45");
    await page.getByLabel("Amount").fill("6");
    await page.getByRole("button", { name: "Preview" }).click();
    expect(plainSpaces(await main(page).innerText())).toContain("27 Mar 2095, 15:45 UTC+5:45 Asia/Kathmandu");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Discount saved.").waitFor();
    expect(await findStored("Far")).toMatchObject({ percent: "6.00", ...times });
    await site.database.db("discounts").where({ id: "far" }).delete();
  });

  it("becomes a change when the browser goes back to it after it was saved", async () => {
    const { page } = await site.visit();
    await enterAsOperator(page, "goes back", "UTC");
    await page.goto("/operator/new-discount?item=vip-silver");
    await page.getByLabel("Amount").fill("10");
    await page.getByLabel("Title (English)").fill("Back");
    await page.getByLabel("Start (optional)", { exact: true }).fill("2095-01-01T00:00");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Discount saved.").waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Keep editing" }).click();
    await page.getByText("This form has already been saved").waitFor();
    await page.getByLabel("Amount").fill("40");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Discount saved.").waitFor();
    expect(await findStored("Back")).toMatchObject({ percent: "40.00" });
  });
});

describe("the discounts on an item's page", () => {
  it("fit beside its record at a width of 1024, in a zone with a long name", async () => {
    const { page } = await site.visit({
      timezoneId: "Asia/Kathmandu",
      viewport: { width: 1024, height: 800 },
    });
    const starts_at = new Date(Date.now() - HOUR_MS);
    await site.database.db("discounts").insert({
      id: "wide",
      item_key: "vip-diamond",
      price: "14.99",
      title: "Golden days of autumn",
      starts_at,
    });
    await site.database.db("discounts").where({ id: "wide" }).update({ ends_at: "2095-11-21T20:00:00Z" });
    await page.goto("/donate/vip-diamond");
    await page.getByRole("heading", { name: "Current" }).waitFor();
    const overflow = await page
      .locator(".table-scroll:has(.discounts)")
      .first()
      .evaluate((box) => box.scrollWidth - box.clientWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    await site.database.db("discounts").where({ id: "wide" }).delete();
  });
});

describe("how long a discount still runs", () => {
  const left = (page: Page) => page.locator(".time-left").first();

  async function visitShop(prepare: (page: Page) => Promise<unknown>) {
    const { page, context } = await site.visit();
    await site.database.db("discounts").where({ id: "platinum-night" }).delete();
    await site.database
      .db("discounts")
      .where({ id: "autumn-gold" })
      .update({ percent: 50, ends_at: new Date(Date.now() + 20.5 * HOUR_MS) });
    await prepare(page);
    await page.goto("/donate/vip-gold");
    return { page, context };
  }

  it("is counted down while the page is open, until it has ended", async () => {
    // The computer sleeps while the server's clock is asked for, so the answer says nothing.
    const { promise: awake, resolve: wake } = Promise.withResolvers<void>();
    const { page } = await visitShop(async (page) => {
      await page.clock.install();
      await page.route(/\.js$/, async (route) => {
        if (route.request().method() === "HEAD") await awake;
        await route.continue();
      });
    });
    expect(await left(page).innerText()).toBe("20\u00a0h left");
    await page.clock.fastForward("02:00:00");
    wake();
    await page.getByText("18 h left").first().waitFor();
    await page.clock.fastForward("18:15:00");
    await page
      .getByText(/1\d\smin left/)
      .first()
      .waitFor();
    await page.clock.fastForward("00:20:00");
    await page.getByText("ended", { exact: true }).first().waitFor();
  });
});

describe("a price alert", () => {
  it("can be set on an item's page and changed among the favorites, and keeps what was typed if refused", async () => {
    const { page, complaints } = await site.visit();
    await register(page, "watcher");
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
