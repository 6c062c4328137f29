import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { register, useBrowserSite } from "../helpers/browser.ts";
import { addNotification } from "../helpers/notifications.ts";

const site = useBrowserSite({ mail: { kind: "smtp", url: "smtp://mail.test" }, pushServices: ["push.test"] });

describe.each([{ javaScriptEnabled: true }, { javaScriptEnabled: false }])(
  "notifications with script: $javaScriptEnabled",
  (options) => {
    const suffix = options.javaScriptEnabled ? "js" : "plain";

    it("are counted by the bell, read, unread and all read, and lead to their item", async () => {
      const { page, complaints } = await site.visit(options);
      const userId = await registerUser(page, `reader ${suffix}`);
      // Else what the item is called in the page's language today would stand for what it was called.
      await site.database.db("donate_items").where({ id: "vip-gold" }).update({ names: "{}" });
      for (const item_name of ["First", "Second", "Third"]) {
        await addNotification(site.database.db, userId, "vip-gold", { item_name });
      }
      await page.goto("/");
      await page.getByRole("link", { name: "Notifications 3 unread" }).click();
      await page.waitForURL("**/notifications");
      expect(await unreadNames(page)).toEqual(["Third", "Second", "First"]);

      await page.getByRole("button", { name: /Mark as read.*Second/ }).click();
      await page.getByRole("link", { name: "Notifications 2 unread" }).waitFor();
      await page.getByRole("button", { name: /Mark as unread.*Second/ }).click();
      await page.getByRole("link", { name: "Notifications 3 unread" }).waitFor();

      await page.getByRole("link", { name: "Third" }).click();
      await page.waitForURL("**/donate/vip-gold");
      await page.goto("/notifications");
      await page.getByRole("link", { name: "Unread 2" }).click();
      await page.waitForURL("**/notifications?show=unread");
      expect(await unreadNames(page)).toEqual(["Second", "First"]);
      await page.getByRole("button", { name: /Mark as read.*First/ }).click();
      await page.getByRole("link", { name: "Unread 1" }).waitFor();
      expect(page.url()).toContain("show=unread");
      expect(await unreadNames(page)).toEqual(["Second"]);

      await page.getByRole("button", { name: "Mark all as read" }).click();
      await page.getByText("All caught up.").waitFor();
      await page.getByRole("link", { name: "Notifications", exact: true }).first().waitFor();
      expect(complaints).toEqual([]);
    });

    it("by e-mail are chosen, with their hour, once an address is confirmed", async () => {
      const { page, complaints } = await site.visit(options);
      const userId = await registerUser(page, `chooser ${suffix}`);
      await page.goto("/notifications");
      await page.getByRole("link", { name: "Settings", exact: true }).click();
      await page.getByText("Confirm an address first").waitFor();
      await site.database
        .db("users")
        .where({ id: userId })
        .update({ confirmed_email: "ann@example.org", email: "ann@example.org" });
      await page.reload();
      await page.getByLabel("At most one e-mail a day").check();
      await page.getByLabel("Hour of the daily e-mail").selectOption("07:00");
      const email = page.locator("form", { has: page.getByLabel("Hour of the daily e-mail") });
      await email.getByRole("button", { name: "Save" }).click();
      await page.getByText("You’ll get at most one e-mail a day about discounts.").waitFor();
      expect(await page.getByLabel("At most one e-mail a day").isChecked()).toBe(true);
      expect(await page.getByLabel("Hour of the daily e-mail").inputValue()).toBe("7");
      expect(complaints).toEqual([]);
    });

    it("by the private feed are switched on, renewed and off", async () => {
      const { page } = await site.visit(options);
      await registerUser(page, `feeder ${suffix}`);
      await page.goto("/notifications/settings");
      const status = async (link: string) => (await fetch(link)).status;
      await page.getByRole("button", { name: "Turn the feed on" }).click();
      const first = await page.locator("#feed-link").innerText();
      expect(await status(first)).toBe(200);
      await page.getByRole("button", { name: "Create a new link" }).click();
      await page.getByText("Your feed has a new link.").waitFor();
      const second = await page.locator("#feed-link").innerText();
      expect([await status(first), await status(second)]).toEqual([404, 200]);
      await page.getByRole("button", { name: "Turn the feed off" }).click();
      await page.getByRole("button", { name: "Turn the feed on" }).waitFor();
      expect(await status(second)).toBe(404);
    });

    it("by Web Push say what they need, and a browser is removed by hand", async () => {
      const { page } = await site.visit(options);
      const userId = await registerUser(page, `pushed ${suffix}`);
      await site.database.db("push_subscriptions").insert({
        user_id: userId,
        endpoint: `https://push.test/${suffix}`,
        p256dh: "x",
        auth: "x",
        browser: "Firefox on Android",
      });
      await page.goto("/notifications/settings");
      const here = page.locator("[data-push]");
      if (options.javaScriptEnabled)
        await here.getByText("This browser doesn’t get notifications.").waitFor();
      else expect(await here.innerText()).toBe("Turning this on or off needs JavaScript.");
      await page.getByRole("button", { name: /^Remove.*Firefox on Android$/ }).click();
      await page.getByText("Firefox on Android no longer gets notifications.").waitFor();
      expect(await page.getByText("Your browsers").count()).toBe(0);
    });
  },
);

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

describe("the pages", () => {
  it("fit a window of 320 pixels", async () => {
    const { page, complaints } = await site.visit({ viewport: { width: 320, height: 700 } });
    const userId = await registerUser(page, "onlooker");
    await fillPages(page, userId);
    for (const path of ["/notifications", "/notifications?show=unread", "/notifications/settings"]) {
      await page.goto(path, { waitUntil: "networkidle" });
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect([path, Math.max(0, overflow)]).toEqual([path, 0]);
    }
    expect(complaints).toEqual([]);
  });
});

/** Everything that the pages can show, with names as long as they come. */
async function fillPages(page: Page, userId: number): Promise<void> {
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
  await page.goto("/");
}

async function registerUser(page: Page, name: string): Promise<number> {
  await register(page, name);
  return (await site.database.db("users").where({ name }).first("id")).id;
}

/** The items of the notifications that are listed as unread, from top to bottom. */
async function unreadNames(page: Page): Promise<string[]> {
  return page.locator('[data-unread="true"] strong').allInnerTexts();
}
