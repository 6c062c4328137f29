import { beforeEach, describe, expect, it } from "vitest";
import { listInbox, NOTIFICATIONS_LISTED } from "../../src/notifications/inbox-queries.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { elements, mainOf, textOf } from "../helpers/html.ts";
import { addNotification } from "../helpers/notifications.ts";
import { addDonateItem, hours } from "../helpers/things.ts";

const site = useTestApp();
let agent: Agent;
let userId = 0;
let item = "";

beforeEach(async () => {
  ({ agent, id: userId } = await site.logIn());
  item = `item of ${userId}`;
  await addDonateItem(site.db, item);
});

async function page(path = "/notifications"): Promise<string> {
  return mainOf((await agent.get(path).expect(200)).text);
}

/** What each listed notification says, the newest first. */
async function listed(path?: string): Promise<string[]> {
  return elements(elements(await page(path), "ul").at(-1) ?? "", "li").map(words);
}

/** Text as it is read: markup leaves a space before the full stop that follows an element. */
function words(html: string): string {
  return textOf(html).replace(/ (?=[.:])/g, "");
}

async function bell(): Promise<string> {
  const header = elements((await agent.get("/").expect(200)).text, "header")[0] ?? "";
  const link = /<a href="\/notifications"[\s\S]*?<\/a>/.exec(header)?.[0] ?? "";
  return textOf(link.replace(/<span class="count" hidden>[\s\S]*<\/span>/, ""));
}

async function readTimes(): Promise<(Date | null)[]> {
  return site.db("notifications").where({ user_id: userId }).orderBy("id").pluck("read_at");
}

describe("the bell", () => {
  it("counts unread notifications, up to 99", async () => {
    expect(await bell()).toBe("Notifications");
    const { id } = await addNotification(site.db, userId, item);
    expect(await bell()).toBe("Notifications 1 unread");
    await agent.post("/notifications/read").type("form").send({ id }).expect(303);
    expect(await bell()).toBe("Notifications");
    const filler = { user_id: userId, item_name: "filler", new_price: "1.00", currency: "EUR" };
    await site.db("notifications").insert(Array.from({ length: 100 }, () => filler));
    expect(await bell()).toBe("Notifications 99+ unread");
  });
});

describe("the inbox", () => {
  it("explains how to get notifications if there are none", async () => {
    expect(await page()).toMatch(/class="empty">[\s\S]*?href="\/donate"/);
    expect(await page()).toContain('href="/notifications/settings"');
  });

  it("lists the newest first, with prices, name and title", async () => {
    await addNotification(site.db, userId, item, { item_name: "first" });
    const { discountId } = await addNotification(site.db, userId, item, {
      item_name: "second",
      old_price: null,
    });
    await site.db("discounts").where({ id: discountId }).update({ title: "Autumn sale" });
    const [second, first] = await listed();
    expect(first).toMatch(
      /^new first was 100\.00 EUR now 75\.00 EUR The discount has no end date\. Notified on .*UTC/,
    );
    expect(second).toMatch(/^new second 75\.00 EUR Autumn sale/);
  });

  it("shows names as text", async () => {
    await addNotification(site.db, userId, item, { item_name: "<script>alert(1)</script>" });
    const html = await page();
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(html).not.toContain("<script>alert(1)");
  });

  it(`shows the newest ${NOTIFICATIONS_LISTED}`, async () => {
    const filler = { user_id: userId, item_name: "filler", new_price: "1.00", currency: "EUR" };
    await site.db("notifications").insert(Array.from({ length: NOTIFICATIONS_LISTED + 5 }, () => filler));
    await addNotification(site.db, userId, item);
    const lines = await listed();
    expect(lines).toHaveLength(NOTIFICATIONS_LISTED);
    expect(lines[0]).toContain(`Shop ${item}`);
    expect(textOf(await page())).toContain("All 206 Unread 206");
  });

  it("shows nobody else's", async () => {
    const other = await site.createUser();
    await addNotification(site.db, other.id, item);
    expect(await page()).toContain("Nothing yet.");
  });

  it("shows times in the user's zone", async () => {
    const { discountId } = await addNotification(site.db, userId, item);
    await site.db("discounts").where({ id: discountId }).update({ ends_at: "2126-01-01T00:30:00Z" });
    expect((await listed())[0]).toContain("ends on 1 Jan 2126, 00:30 UTC.");
    await site.db("users").where({ id: userId }).update({ time_zone: "America/New_York" });
    expect((await listed())[0]).toContain("ends on 31 Dec 2125, 19:30 UTC-5.");
  });
});

describe("a notification whose discount changed", () => {
  async function afterwards(columns: Record<string, unknown>) {
    const { discountId } = await addNotification(site.db, userId, item);
    await site.db("discounts").where({ id: discountId }).update(columns);
    return (await listed())[0] ?? "";
  }

  it("says that it ended, and when", async () => {
    const over = { starts_at: "2026-01-01T00:00:00Z", ends_at: "2026-02-03T04:05:00Z" };
    expect(await afterwards(over)).toMatch(/ended The discount ended on 3 Feb 2026, 04:05 UTC\./);
  });

  it("says that it was put off", async () => {
    const text = await afterwards({ starts_at: "2126-01-01T00:00:00Z" });
    expect(text).toContain("Postponed: it starts on 1 Jan 2126, 00:00 UTC.");
    expect(text).not.toContain("no end yet");
  });

  it("shows the current price beside the announced one", async () => {
    const text = await afterwards({ percent: "50" });
    expect(text).toContain("now 75.00 EUR");
    expect(text).toContain("It has changed: the price is now 50.00 EUR.");
    expect(await afterwards({ percent: null, price: "100.00" })).toContain(
      "no longer makes the item cheaper",
    );
    expect(await afterwards({ percent: "25" })).not.toContain("Changed since");
    expect(
      await afterwards({ percent: "50", starts_at: hours(site.db, -3), ends_at: hours(site.db, -1) }),
    ).not.toContain("Changed since");
  });

  it("of the run before does not show what its record tells now", async () => {
    const { discountId } = await addNotification(site.db, userId, item, { ends_at: "2026-01-02T00:00:00Z" });
    const discount = () => site.db("discounts").where({ id: discountId });
    await discount().update({ starts_at: "2026-01-01T00:00:00Z", ends_at: "2026-01-02T00:00:00Z" });
    await discount().update({
      starts_at: "2026-02-01T00:00:00Z",
      ends_at: "2126-01-01T00:00:00Z",
      percent: "90",
      title: "Next week's",
    });
    const [text = ""] = await listed();
    expect(text).toContain("The discount ended on 2 Jan 2026, 00:00 UTC.");
    expect(text).not.toMatch(/2126|Next week|10\.00/);
  });

  it("is over once the item has another currency, whose prices it does not show", async () => {
    const { discountId } = await addNotification(site.db, userId, item);
    await addNotification(site.db, userId, item, { wish: "80.00", discount_id: null });
    await site.db("donate_items").where({ id: item }).update({ currency: "COINS", price: "0.50" });
    await site.db("discounts").where({ id: discountId }).update({ percent: "50" });
    expect(await listInbox(site.db, userId)).toMatchObject([
      { is_regular: true, state: "ended", price_now: null, paid_now: null, currency: "EUR" },
      { is_regular: false, state: "ended", price_now: null, paid_now: null, currency: "EUR" },
    ]);
  });

  it("is over where the discount was removed, and leads nowhere where the item was", async () => {
    const { id, discountId } = await addNotification(site.db, userId, item, {
      ends_at: "2126-01-01T00:00:00Z",
    });
    await site.db("discounts").where({ id: discountId }).delete();
    expect((await listed())[0]).toContain("ended The discount has ended.");
    await site.db("donate_items").where({ id: item }).delete();
    expect(await page()).not.toContain("/donate/");
    await agent.get(`/notifications/${id}`).expect(303).expect("Location", "/notifications");
  });
});

describe("read and unread", () => {
  it("go back and forth for one notification, and all are read at once", async () => {
    const [older, newer] = [
      await addNotification(site.db, userId, item),
      await addNotification(site.db, userId, item),
    ];
    const isRead = async () => (await readTimes()).map((time) => time !== null);
    const send = (path: string, id?: number) =>
      agent.post(path).type("form").send({ id }).expect(303).expect("Location", "/notifications");
    await send("/notifications/read", older.id);
    expect(await isRead()).toEqual([true, false]);
    const [time] = await readTimes();
    await send("/notifications/read");
    expect(await isRead()).toEqual([true, true]);
    expect((await readTimes())[0]).toEqual(time);
    await send("/notifications/unread", newer.id);
    expect(await isRead()).toEqual([true, false]);
    expect(await bell()).toBe("Notifications 1 unread");
  });

  it("differ in the list, each with its actions", async () => {
    const { id } = await addNotification(site.db, userId, item);
    await addNotification(site.db, userId, item);
    await agent.post("/notifications/read").type("form").send({ id }).expect(303);
    const html = await page();
    expect(html.match(/data-unread="true"/g)).toHaveLength(1);
    expect(html.match(/data-unread="false"/g)).toHaveLength(1);
    expect(html.match(/action="\/notifications\/unread"/g)).toHaveLength(1);
    expect(textOf(html)).toContain("Mark all as read");
    await agent.post("/notifications/read").expect(303);
    expect(textOf(await page())).not.toContain("Mark all as read");
  });

  it("filter the list, and a form leads back to the same one", async () => {
    const { id } = await addNotification(site.db, userId, item, { item_name: "read one" });
    await addNotification(site.db, userId, item, { item_name: "unread one" });
    const form = { id, show: "unread" };
    await agent
      .post("/notifications/read")
      .type("form")
      .send(form)
      .expect(303)
      .expect("Location", "/notifications?show=unread");
    expect(await listed("/notifications?show=unread")).toEqual([expect.stringContaining("unread one")]);
    expect(await listed("/notifications?show=all")).toHaveLength(2);
    expect(textOf(await page("/notifications?show=unread"))).toContain("All 2 Unread 1");
    await agent.post("/notifications/read").type("form").send({ show: "unread" }).expect(303);
    expect(await page("/notifications?show=unread")).toContain("All caught up.");
    await agent.get("/notifications?show=x").expect(400);
    await agent.post("/notifications/read").type("form").send({ show: "//evil.test" }).expect(400);
  });

  it("are nobody else's to change, and unread needs an id", async () => {
    const { id } = await addNotification(site.db, userId, item);
    const stranger = (await site.logIn()).agent;
    await stranger.post("/notifications/read").type("form").send({ id }).expect(404);
    await stranger.post("/notifications/read").expect(303);
    await stranger.get(`/notifications/${id}`).expect(404);
    expect(await readTimes()).toEqual([null]);
    await agent.post("/notifications/read").expect(303);
    await stranger.post("/notifications/unread").type("form").send({ id }).expect(404);
    await stranger.post("/notifications/unread").expect(400);
    expect(await readTimes()).toEqual([expect.any(Date)]);
  });

  it.each(["0", "-1", "1.5", "x", "99999999999999999999", "1'--"])("are not for the id %s", async (id) => {
    await agent.post("/notifications/read").type("form").send({ id }).expect(400);
    await agent.post("/notifications/unread").type("form").send({ id }).expect(400);
    await agent.get(`/notifications/${encodeURIComponent(id)}`).expect(404);
  });
});

describe("GET /notifications/<id>", () => {
  it("marks the notification as read and goes on to its item", async () => {
    const { id } = await addNotification(site.db, userId, item);
    await addNotification(site.db, userId, item);
    expect(await page()).toContain(`href="/notifications/${id}"`);
    await agent
      .get(`/notifications/${id}`)
      .expect(303)
      .expect("Location", `/donate/${encodeURIComponent(item)}`)
      .expect("Cache-Control", "no-store");
    expect(await readTimes()).toEqual([expect.any(Date), null]);
  });

  it("marks nothing where a browser only looks ahead", async () => {
    const { id } = await addNotification(site.db, userId, item);
    await agent.head(`/notifications/${id}`).expect(303);
    await agent.get(`/notifications/${id}`).set("Sec-Purpose", "prefetch;prerender").expect(303);
    expect(await readTimes()).toEqual([null]);
  });

  it("is not found where there is no such notification", async () => {
    await agent.get("/notifications/999999").expect(404);
  });
});
