import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { register, useBrowserSite } from "../helpers/browser.ts";
import { addNotification } from "../helpers/notifications.ts";

const site = useBrowserSite({ mail: { kind: "smtp", url: "smtp://mail.test" }, pushServices: ["push.test"] });

describe("the page of notifications", () => {
  it("shows and counts what is unread, and leads to the items", async () => {
    const { page, complaints } = await site.visit();
    const userId = await registerUser(page, "reader");
    // Else what the item is called in the page's language today would stand for what it was called.
    await site.database.db("donate_items").where({ id: "vip-gold" }).update({ names: "{}" });
    for (const item_name of ["First", "Second", "Third"])
      await addNotification(site.database.db, userId, "vip-gold", { item_name });
    await page.goto("/nicknames");
    await page.getByRole("link", { name: "Notifications 3 unread" }).click();
    await page.waitForURL("**/notifications");
    expect(await unreadNames(page)).toEqual(["Third", "Second", "First"]);

    await page.getByRole("button", { name: /Mark as read.*Second/ }).click();
    await page.getByRole("link", { name: "Notifications 2 unread" }).waitFor();
    await page.getByRole("button", { name: /Mark as unread.*Second/ }).click();
    await page.getByRole("link", { name: "Notifications 3 unread" }).waitFor();

    await page.getByRole("link", { name: "Third" }).click();
    await page.waitForURL("**/donate/vip-gold");
    await page.goto("/notifications?show=unread");
    expect(await unreadNames(page)).toEqual(["Second", "First"]);
    await page.getByRole("button", { name: "Mark all as read" }).click();
    await page.getByText("All caught up.").waitFor();
    await page.getByRole("link", { name: "Notifications", exact: true }).first().waitFor();
    expect(complaints).toEqual([]);
  });
});

describe("the link of the private feed", () => {
  it("is copied by its button", async () => {
    const { page, context } = await site.visit();
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: site.url });
    await registerUser(page, "copier");
    await page.goto("/notifications/settings");
    await page.getByRole("button", { name: "Turn the feed on" }).click();
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByText("Copied.").waitFor();
    const link = await page.locator("#feed-link").innerText();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
  });
});

describe("the pages of notifications", () => {
  it("fit a window of 320 pixels", async () => {
    const { page, complaints } = await site.visit({ viewport: { width: 320, height: 700 } });
    const userId = await registerUser(page, "onlooker");
    await fillPages(userId);
    for (const path of ["/notifications", "/notifications/settings"]) {
      await page.goto(path);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect([path, Math.max(0, overflow)]).toEqual([path, 0]);
    }
    expect(complaints).toEqual([]);
  });
});

/** Everything that the pages can show, with names as long as they come. */
async function fillPages(userId: number): Promise<void> {
  const { db } = site.database;
  await addNotification(db, userId, "vip-gold", { item_name: "VIP Gold, 30 days", read_at: db.fn.now() });
  const over = await addNotification(db, userId, "vip-gold", { item_name: "W".repeat(120), old_price: null });
  await db("discounts")
    .where({ id: over.discountId })
    .update({ ends_at: db.raw("now() - interval '1 minute'") });
  const moved = await addNotification(db, userId, "vip-gold", {
    item_name: "Private hangar at Los Santos airport",
  });
  const columns = {
    ends_at: "2126-01-01T18:00:00Z",
    title: "Autumn sale: everything must go",
    percent: "90",
  };
  await db("discounts").where({ id: moved.discountId }).update(columns);
  await addNotification(db, userId, "vip-gold", { item_name: "Gone", discount_id: null, item_key: null });
  await db("push_subscriptions").insert(
    ["Firefox on Android", "Samsung Internet on Android", null].map((browser, index) => ({
      user_id: userId,
      endpoint: `https://push.test/${userId}/${index}`,
      p256dh: "x",
      auth: "x",
      browser,
      last_sent_at: browser && db.fn.now(),
    })),
  );
  await db("notification_settings").insert({ user_id: userId, feed: true, push: true });
  await db("users").where({ id: userId }).update({ confirmed_email: "ann@example.org", role: "operator" });
}

async function registerUser(page: Page, name: string): Promise<number> {
  await register(page, name);
  return (await site.database.db("users").where({ name }).first("id")).id;
}

/** The items of the notifications that are listed as unread, from top to bottom. */
async function unreadNames(page: Page): Promise<string[]> {
  return page.locator('[data-unread="true"] strong').allInnerTexts();
}
