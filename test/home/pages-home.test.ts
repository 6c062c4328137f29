import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { elements, mainOf, textOf } from "../helpers/html.ts";

const site = useTestApp();

beforeEach(async () => {
  await emptyCatalogue(site.db);
  await site.db.raw("truncate servers, donate_items cascade");
});

async function home(path = "/en"): Promise<string> {
  return mainOf((await request(site.app).get(path).expect(200)).text);
}

/** The text of the panel under a heading. */
function panel(html: string, id: string): string {
  return textOf(elements(html, "section").find((section) => section.includes(`id="${id}"`)) ?? "");
}

function server(id: string, online: number | null, more = {}) {
  const status = online === null ? "offline" : "online";
  return { id, name: id, status, online, checked_at: new Date(), ...more };
}

describe("the start page", () => {
  it("makes sense when there is nothing at all", async () => {
    const html = await home();
    expect(panel(html, "busiest")).toContain("No servers yet.");
    expect(panel(html, "sale")).toContain("Nothing is on sale right now.");
    expect(panel(html, "newest")).toContain("No items yet.");
    expect(textOf(elements(html, "ul")[0] ?? "")).toBe(
      "Items 0 Vehicles 0 Scripts 0 Houses 0 Businesses 0 Servers 0",
    );
  });

  it("counts each kind", async () => {
    await insertRecords(site.db, "vehicles", [{ id: "1" }, { id: "2" }]);
    await insertRecords(site.db, "houses", [{ id: "1" }]);
    await site.db("servers").insert([server("a", null)]);
    const counts = textOf(elements(await home(), "ul")[0] ?? "");
    expect(counts).toBe("Vehicles 2 Houses 1 Servers 1");
  });

  it("has the large search box and not a second one", async () => {
    const { text } = await request(site.app).get("/en");
    expect(text.match(/<form[^>]*role="search"/g)).toHaveLength(1);
    expect(text).toContain("search-box is-large");
  });

  it("shows the busiest servers that are online, the fullest first, and all who play", async () => {
    const servers = [3, 900, 50, 1, 7, 20, 8].map((online, index) =>
      server(`s${index}`, online, { max_online: 1000 }),
    );
    const stale = { ...server("off", 5000), status: "offline" };
    const old = server("old", 4000, { checked_at: new Date(Date.now() - 2 * 3_600_000) });
    await site.db("servers").insert([...servers, stale, old, server("untold", null)]);
    const text = panel(await home(), "busiest");
    expect(text).toContain("989 players online now");
    expect(text.match(/s\d/g)).toEqual(["s1", "s2", "s5", "s6", "s4", "s0"]);
    expect(text).not.toContain("off");
    expect(text).toContain("900 / 1,000");
  });

  it("shows a queue only where somebody waits, and no maximum that is unknown", async () => {
    await site
      .db("servers")
      .insert([server("a", 5, { queue: 12 }), server("b", 4, { queue: 0 }), server("c", 0)]);
    const text = panel(await home(), "busiest");
    expect(text).toContain("a 5 12 in the queue");
    expect(text.match(/in the queue/g)).toHaveLength(1);
    expect(text).not.toContain("/");
  });

  it("says when no server is online", async () => {
    await site.db("servers").insert([server("a", null)]);
    expect(panel(await home(), "busiest")).toContain("No servers online right now, as far as we know.");
  });

  it("shows what is on sale: the lowest price once for each item, the greatest discount before the others", async () => {
    const item = (id: string) => ({ id, name: `Item ${id}`, price: "10.00", currency: "EUR" });
    await site.db("donate_items").insert([item("a"), item("b"), item("later")]);
    const starts_at = site.db.raw("now() - interval '1 hour'");
    const inHours = (hours: number) => site.db.raw("now() + ? * interval '1 hour'", [hours]);
    await site.db("discounts").insert([
      { id: "1", item_key: "a", percent: "10", starts_at, ends_at: inHours(1) },
      { id: "2", item_key: "a", percent: "50", starts_at },
      { id: "3", item_key: "b", price: "7.50", starts_at, ends_at: inHours(2) },
      { id: "4", item_key: "later", percent: "50", starts_at: inHours(1) },
    ]);
    const text = panel(await home(), "sale");
    expect(text).toMatch(
      /Item a −50% was 10.00 EUR now 5.00 EUR no end date Item b was 10.00 EUR now 7.50 EUR −25% until .* UTC/,
    );
    expect(text).toContain("no end date");
    expect(text).not.toContain("9.00");
    expect(text).not.toContain("Item later");
  });

  it("shows what is new of every kind, however much of one was imported later", async () => {
    const created_at = "2026-01-01T00:00:00Z";
    const at = (day: number) => ({ created_at, updated_at: `2026-02-${day}T00:00:00Z` });
    const many = Array.from({ length: 20 }, (_, index) => ({ id: `i${index}`, name: "Item", ...at(20) }));
    await insertRecords(site.db, "items", many);
    await insertRecords(site.db, "vehicles", [
      { id: "old", name: "Old car", ...at(10) },
      { id: "new", name: "New car", ...at(21) },
    ]);
    await insertRecords(site.db, "houses", [{ id: "1", name: "Villa", ...at(11) }]);
    const html = await home();
    const text = panel(html, "newest");
    expect(text).toMatch(/^New and updated New car Vehicle .*Villa House .*Old car Vehicle/);
    expect(text.match(/Item Item/g)).toHaveLength(5);
    for (const path of ["/vehicles/new", "/houses/1", "/items/i0"])
      expect(html).toContain(`href="/en${path}"`);
  });

  it("shows the newest changes of items, the newest first", async () => {
    const created_at = "2026-01-01T00:00:00Z";
    const entries = Array.from({ length: 12 }, (_, index) => {
      const day = String(index + 10);
      return { id: `i${index}`, name: `Item${index}`, created_at, updated_at: `2026-02-${day}T00:00:00Z` };
    });
    await insertRecords(site.db, "items", entries);
    const text = panel(await home(), "newest");
    expect(text.match(/Item\d+/g)?.slice(0, 3)).toEqual(["Item11", "Item10", "Item9"]);
    expect(text.match(/Item\d+/g)).toHaveLength(8);
    expect(text).toContain("21 Feb 2026");
  });

  it("is in the reader's language, names and figures too", async () => {
    await insertRecords(site.db, "items", [
      {
        id: "1",
        name: "Deer",
        names: { ru: "Олень" },
        updated_at: "2026-02-21T00:00:00Z",
        created_at: "2026-01-01T00:00:00Z",
      },
    ]);
    await site.db("servers").insert([server("a", 1234), server("b", 21, { queue: 3 })]);
    const html = await home("/ru");
    expect(panel(html, "busiest")).toContain("Сейчас онлайн 1 255 игроков");
    expect(panel(html, "busiest")).toContain("в очереди: 3");
    expect(panel(html, "newest")).toMatch(/Олень 21 февр/);
    expect(html).toContain('href="/ru/items/1" lang="ru"');
  });

  it("begins with a user's own servers, those that do not answer as well", async () => {
    await site.db("servers").insert([server("busy", 900), server("mine", 7), server("gone", null)]);
    const { agent, id } = await site.logIn();
    const servers = ["mine", "gone"].map((server_id) => ({ user_id: id, server_id }));
    await site.db("server_favorites").insert(servers);
    const html = mainOf((await agent.get("/en").expect(200)).text);
    expect(panel(html, "yours")).toBe("Your servers gone offline mine 7 All favorites");
    expect(html.indexOf('id="yours"')).toBeLessThan(html.indexOf('id="busiest"'));
    expect(await home()).not.toContain('id="yours"');
  });
});
