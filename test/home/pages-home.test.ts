import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { addDiscount, addItem } from "../helpers/donate.ts";
import { attributes, elements, mainOf, plainSpaces, textOf } from "../helpers/html.ts";
import { addRecords, addServer, bucketBefore, HOUR_MS, MINUTE_MS } from "../helpers/servers.ts";

const site = useTestApp();

beforeEach(async () => {
  await emptyCatalogue(site.db);
  await site.db.raw("truncate servers, donate_items, catalogue_revisions cascade");
});

async function home(path = "/en"): Promise<string> {
  return mainOf((await request(site.app).get(path).expect(200)).text);
}

/** The panel under a heading. */
function panelHtml(html: string, id: string): string {
  return elements(html, "section").find((section) => section.includes(`id="${id}"`)) ?? "";
}

const panel = (html: string, id: string) => textOf(panelHtml(html, id));

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
    const text = panel(await home(), "busiest");
    expect(text).toContain("No servers online right now, as far as we know.");
    expect(text).not.toContain("players online");
  });

  it("shows no figure where no player count is known", async () => {
    const unknown = server("b", null, { status: "unknown" });
    await site.db("servers").insert([server("a", null), unknown]);
    const text = panel(await home(), "busiest");
    expect(text).toContain("No player counts are known right now.");
    expect(text).not.toMatch(/\d players|No servers online/);
    await site.db("servers").insert([server("c", 0)]);
    expect(panel(await home(), "busiest")).toMatch(/0 players online now.*No players online right now/);
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
    const times = { updated_at: "2026-02-21T00:00:00Z", created_at: "2026-01-01T00:00:00Z" };
    await insertRecords(site.db, "items", [{ id: "1", name: "Deer", names: { ru: "Олень" }, ...times }]);
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

/** A server with one count in each of the last hours, the oldest first. */
async function played(id: string, counts: readonly (number | null)[]) {
  const online = counts.at(-1) ?? 0;
  await addServer(site.db, { id, status: "online", online, max_online: 100, checked_at: new Date() });
  const at = await bucketBefore(site.db, counts.length);
  const measured = counts.flatMap((count, hour) =>
    count === null
      ? []
      : [0, 15, 30, 45].map((minute) => ({
          at: new Date(at + hour * HOUR_MS + minute * MINUTE_MS),
          online: count,
          max_online: 100,
        })),
  );
  await addRecords(site.db, id, measured);
}

describe("the last 24 hours on the start page", () => {
  it("are those of all servers together, behind the search box and in words", async () => {
    await played("a", [10, 20, 30, 40]);
    await played("b", [5, 5, 5, 5]);
    const html = await home();
    expect(textOf(html)).toContain("Last 24 hours: 15 to 45 players online");
    const [area = "", line = ""] = attributes(elements(html, "svg")[0] ?? "", "d");
    expect(area.match(/M/g)).toHaveLength(1);
    expect(line).toMatch(/^M\d+ \d+L/);
    expect(textOf(await home("/ru"))).toContain("Онлайн за сутки: от 15 до 45");
  });

  it("have a gap where no server was measured, and nothing made up", async () => {
    await played("a", [10, null, null, 40]);
    const [area = ""] = attributes(elements(await home(), "svg")[0] ?? "", "d");
    expect(area.match(/M/g)).toHaveLength(2);
    expect(area.match(/z/g)).toHaveLength(2);
  });

  it("are not shown while too little is known, or nobody played", async () => {
    await played("a", [10]);
    expect(await home()).not.toContain('class="pulse"');
    await site.db.raw("truncate servers cascade");
    await played("b", [0, 0, 0, 0]);
    expect(await home()).not.toContain('class="pulse"');
  });

  it("stand as a line below each of the busiest servers", async () => {
    await played("a", [10, 20, 30, 90]);
    await played("quiet", [3, 3, 3, 0]);
    const lines = attributes(panelHtml(await home(), "busiest"), "aria-label").filter((label) =>
      /\d/.test(label),
    );
    expect(lines).toEqual([expect.stringContaining("90")]);
  });
});

describe("the greatest discount", () => {
  it("stands before the others with its picture, and with the time left as the script counts it on", async () => {
    await addItem(site.db, { id: "hat", name: "Hat", image: "/assets/hat.png" });
    await addItem(site.db, { id: "car", name: "Car" });
    await addDiscount(site.db, { id: "1", item_key: "car", percent: "20", ends: 1 });
    await addDiscount(site.db, { id: "2", item_key: "hat", percent: "40", ends: 50.5 });
    const page = await request(site.app).get("/en").expect(200);
    const sale = panelHtml(mainOf(page.text), "sale");
    expect(plainSpaces(textOf(sale))).toMatch(
      /^On sale now Hat −40% was 10\.00 EUR now 6\.00 EUR until .* UTC \( 2 days left \) Car was/,
    );
    expect(attributes(sale, "src")).toContain("/assets/hat.png");
    const [ends = ""] = attributes(sale, "data-ends");
    const { ends_at } = await site.db("discounts").where({ id: "2" }).first();
    expect(new Date(ends)).toEqual(ends_at);
    expect(page.text).toMatch(/<script type="module" src="\/assets\/js\/shop\/shop[^"]*">/);
  });
});

describe("what changed", () => {
  const newest = async (path?: string) => plainSpaces(textOf(panelHtml(await home(path), "newest")));

  it("is in words, as on an entry's page", async () => {
    const attributes = { price: 4200, weight: 3, clip: 30, slot: 1 };
    await insertRecords(site.db, "items", [{ id: "ak", name: "AK-47", category: "Guns", attributes }]);
    expect(await newest()).not.toContain("→");
    const change = (changes: object) =>
      site
        .db("items")
        .where({ id: "ak" })
        .update({ ...changes, revision: site.db.raw("revision + 1"), updated_at: new Date() });
    await change({ attributes: { price: 3900, weight: 3, clip: 30, slot: 1 } });
    expect(await newest()).toContain("Price: 4,200 → 3,900");
    expect(await newest("/ru")).toContain("4 200 → 3 900");
    await change({ attributes: { price: 3800, weight: 4, clip: 31, slot: 2 } });
    const many = await newest();
    expect(many.match(/→/g)).toHaveLength(2);
    expect(many).toContain("and 2 more");
    expect(many).not.toContain("4,200");
  });

  it("leaves out long texts, and markup of a name is text", async () => {
    await insertRecords(site.db, "items", [
      { id: "1", name: "Old", description: "A long text. ".repeat(20) },
    ]);
    await site.db("items").update({ description: "Another long text. ".repeat(20), revision: 2 });
    expect(await newest()).not.toContain("→");
    await site.db("items").update({ name: "<b>New</b>", revision: 3 });
    expect(panelHtml(await home(), "newest")).toContain("Old → &lt;b&gt;New&lt;/b&gt;");
  });
});
