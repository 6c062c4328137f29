import request from "supertest";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SHOP_SORTS } from "../../src/shop/shop-queries.ts";
import { useReadKey, walkPages } from "../helpers/api-reads.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords, type TestEntry } from "../helpers/catalogue.ts";
import { emptyTables } from "../helpers/database.ts";
import { addDiscount, addItem } from "../helpers/donate.ts";
import { kind, makeTables, useOwnKinds } from "../helpers/own-kinds.ts";
import { addServer } from "../helpers/servers.ts";

useOwnKinds();
const site = useTestApp();
const reads = useReadKey(site);
const ask = reads.get;

beforeAll(() => makeTables(site.db));

beforeEach(async () => {
  await emptyCatalogue(site.db);
  await emptyTables(site.db, "quests, camps, servers, donate_items, catalogue_tombstones");
});

const idsOf = ({ records }: { records: { id: string }[] }) => records.map(({ id }) => id);

/** Records whose sort values are equal in groups, or missing. */
function manyEntries(count: number): TestEntry[] {
  return Array.from({ length: count }, (_, n) => ({
    id: `e${n}`,
    name: ["Ёж", "ёлка", "Same", "same", "10 mm", "Zed", "émile"][n % 7],
    popularity: n % 3 === 0 ? null : n % 5,
    attributes: n % 4 === 0 ? {} : { seats: n % 4, price: n % 6 },
    updated_at: new Date(Date.UTC(2026, 0, 1 + (n % 3))).toISOString(),
    created_at: "2025-01-01T00:00:00.000Z",
  }));
}

const ENTRY_SORTS = ["id", "name", "newest", "popularity", "a.seats", "-a.seats"];

describe("the pages of a list", () => {
  it.each(ENTRY_SORTS)("neither skip nor repeat a record while others change, by %s", async (sort) => {
    const entries = manyEntries(32);
    await insertRecords(site.db, "items", entries);
    // Every fourth one is removed or changed at some time, and others come.
    const [stay, go] = [entries.filter((_, n) => n % 4 !== 1), entries.filter((_, n) => n % 4 === 1)];
    const pages = await walkPages(ask, `/api/items?limit=5&sort=${sort}`, async (page) => {
      const [one, two] = [go[page % go.length], go[(page * 3) % go.length]];
      await site.db("items").where({ id: one?.id }).delete();
      const change = { name: "AAA", popularity: 9, attributes: { seats: 3 } };
      await site.db("items").where({ id: two?.id }).update(change);
      if (page < 10)
        await insertRecords(site.db, "items", [{ ...manyEntries(7)[page % 7], id: `new${page}` }]);
    });
    const seen = pages.flat().filter((id) => stay.some((entry) => entry.id === id));
    expect([...seen].sort()).toEqual(stay.map(({ id }) => id).sort());
  });

  it("use a record's exact time, although JavaScript knows milliseconds only", async () => {
    await insertRecords(site.db, "items", [{ id: "a" }, { id: "b" }, { id: "c" }]);
    const exact = "updated_at = timestamptz '2026-01-01' + ? * interval '1 microsecond'";
    for (const [n, id] of ["a", "b", "c"].entries())
      await site.db.raw(`update items set created_at = '2026-01-01', ${exact} where id = ?`, [n, id]);
    expect(await walkPages(ask, "/api/items?limit=1&sort=newest")).toEqual([["c"], ["b"], ["a"]]);
  });

  it("follow a search from its best match, even if that was removed", async () => {
    const knives = Array.from({ length: 9 }, (_, n) => ({ id: `k${n}`, name: `Knife ${n}` }));
    await insertRecords(site.db, "items", knives);
    await site.search.refresh();
    const whole = idsOf((await ask("/api/items?q=knife").expect(200)).body);
    expect(whole).toHaveLength(9);
    const pages = await walkPages(ask, "/api/items?q=knife&limit=3", async (page) => {
      if (page === 1) await site.db("items").where({ id: whole[2] }).delete();
      await site.search.refresh();
    });
    expect(pages.flat()).toEqual(whole);
  });

  it("have no key in the addresses of the next pages", async () => {
    await insertRecords(site.db, "items", manyEntries(3));
    const { body, headers } = await request(site.app)
      .get(`/api/items?api_key=${reads.key}&limit=1`)
      .expect(200);
    expect(body.next).toContain("limit=1");
    expect(JSON.stringify([body, headers])).not.toContain(reads.key);
  });

  it.each([
    ["servers", ["-online", "online", "position", "name", "-name", "game", "-queue", "id"]],
    ["donate-items", ["sale", "name", "cheapest", "dearest", "newest", "id"]],
    ["discounts", ["newest", "ends", "id"]],
    ["quests", ["name", "newest", "-a.level"]],
  ])("of %s have each record once", async (path, sorts) => {
    for (let n = 0; n < 9; n++) {
      const id = `r${n}`;
      const name = n % 2 ? "Same" : id;
      const figures = { online: n % 3 === 0 ? null : n % 2, status: "online", queue: n % 2 };
      await addServer(site.db, { id, name, ...figures, checked_at: new Date() });
      const price = n % 4 === 0 ? null : `${n % 2}.00`;
      await addItem(site.db, { id, name, price, currency: n % 5 ? "EUR" : "USD" });
      await addDiscount(site.db, { id, item_key: id, price: "0.50", ends: n % 3 === 0 ? null : 1 });
      await insertRecords(site.db, kind("quests"), [{ id, name: "Same", attributes: { level: n % 2 } }]);
    }
    for (const sort of sorts) {
      const pages = await walkPages(ask, `/api/${path}?limit=2&sort=${sort}`);
      expect([sort, pages.flat().sort()]).toEqual([sort, Array.from({ length: 9 }, (_, n) => `r${n}`)]);
      expect(pages).toHaveLength(5);
    }
  });
});

describe("the pages of the servers", () => {
  /** In the order of their page, a group after the other. */
  const servers = [
    { id: "b1", group_name: "Beta", position: 1, status: "offline" },
    { id: "b2", group_name: "Beta", position: 4, online: 7 },
    { id: "a1", group_name: "Alpha", position: 2, online: 7 },
    { id: "a2", group_name: "Alpha", position: 3, online: 7 },
    { id: "none", online: 7 },
  ];
  beforeEach(async () => {
    for (const server of servers)
      await addServer(site.db, { status: "online", checked_at: new Date(), ...server });
  });

  it.each([
    ["position", ["b1", "b2", "a1", "a2", "none"]],
    ["-online", ["b2", "a1", "a2", "none", "b1"]],
  ])("keep the groups in the order of the page, also for equal values, by %s", async (sort, order) => {
    expect((await walkPages(ask, `/api/servers?limit=1&sort=${sort}`)).flat()).toEqual(order);
  });

  it("skip none if the last server of a page was removed or has other figures", async () => {
    const pages = await walkPages(ask, "/api/servers?limit=1&sort=-online", async (page) => {
      if (page === 1) await site.db("servers").where({ id: "b2" }).delete();
      if (page === 2) await site.db("servers").where({ id: "a1" }).update({ status: "offline" });
    });
    expect(pages.flat()).toEqual(["b2", "a1", "a2", "none", "b1", "a1"]);
  });
});

describe("the filters of a list", () => {
  beforeEach(async () => {
    const entries = ["Aaa", "Bbb", "Ccc", "Ddd"].map((name, n) => ({
      id: name.toLowerCase(),
      name,
      category: n < 2 ? "Cars" : "Boats",
      attributes: { seats: n + 1, open: n % 2 === 0, make: n < 3 ? "Ford" : "Fiat" },
    }));
    await insertRecords(site.db, "vehicles", entries);
  });
  const found = async (query: string) => idsOf((await ask(`/api/vehicles?${query}`).expect(200)).body);

  it("are those of the page", async () => {
    expect(await found("category=Boats")).toEqual(["ccc", "ddd"]);
    expect(await found("a.seats=2&a.seats=4")).toEqual(["bbb", "ddd"]);
    expect(await found("min.seats=2&max.seats=3")).toEqual(["bbb", "ccc"]);
    expect(await found("a.make=Ford&a.open=true")).toEqual(["aaa", "ccc"]);
    expect(await found("letter=c")).toEqual(["ccc"]);
    expect(await found("a.make=Nobody")).toEqual([]);
    const { body } = await ask("/api/vehicles?a.make=Ford&limit=1").expect(200);
    expect(body).toMatchObject({ total: 3 });
  });

  it("are 400 with a list of valid ones if they are invalid", async () => {
    const wrong = async (query: string) => {
      const { body } = await ask(`/api/vehicles?${query}`).expect(400);
      return body.errors.map(({ param, message }: Record<string, string>) => `${param} ${message}`);
    };
    expect(await wrong("min.seats=few&a.colour=red")).toEqual([
      expect.stringMatching(/^a\.colour .*seats/),
      expect.stringMatching(/^min\.seats must be a number/),
    ]);
    expect(await wrong("min.make=5&max.open=zzz")).toEqual([
      expect.stringMatching(/^min\.make .*available: seats$/),
      expect.stringMatching(/^max\.open .*available: seats$/),
    ]);
    expect(await wrong("min.seats=5&max.seats=1")).toEqual([expect.stringMatching(/^max\.seats/)]);
    expect(await wrong("min.seats=1&min.seats=3&max.seats=4&max.seats=4")).toEqual([
      "min.seats is given more than once",
      "max.seats is given more than once",
    ]);
    expect(await wrong("sort=a.nothing")).toEqual([expect.stringMatching(/^sort .*-a\.seats/)]);
    expect(await wrong("limit=201&letter=!")).toHaveLength(2);
    expect(await wrong("limit=0")).toHaveLength(1);
    const many = Array.from({ length: 41 }, (_, n) => `a.make=m${n}`).join("&");
    expect(await wrong(many)).toEqual([expect.stringMatching(/^filters .* 40 values/)]);
  });

  it("of servers, the shop and discounts are those of their pages, and so are the shop's orders", async () => {
    for (const sort of SHOP_SORTS) await ask(`/api/donate-items?sort=${sort}`).expect(200);
    const up = { status: "online", checked_at: new Date(), max_online: 10 };
    await addServer(site.db, { id: "full", ...up, online: 10, game: "Rust" });
    await addServer(site.db, { id: "free", ...up, online: 3, game: "DayZ" });
    expect(idsOf((await ask("/api/servers?not_full=1").expect(200)).body)).toEqual(["free"]);
    expect(idsOf((await ask("/api/servers?game=Rust").expect(200)).body)).toEqual(["full"]);
    await addItem(site.db, { id: "cheap", category: "Coins" });
    await addItem(site.db, { id: "plain" });
    await addDiscount(site.db, { id: "now", item_key: "cheap", percent: 10 });
    await addDiscount(site.db, { id: "secret", item_key: "plain", percent: 10, starts: 1, ends: 2 });
    await addDiscount(site.db, { id: "over", item_key: "plain", percent: 10, starts: -2, ends: -1 });
    expect(idsOf((await ask("/api/donate-items?sale=1").expect(200)).body)).toEqual(["cheap"]);
    expect(idsOf((await ask("/api/donate-items?category=Coins").expect(200)).body)).toEqual(["cheap"]);
    const { body } = await ask("/api/discounts?sort=id").expect(200);
    expect([idsOf(body), body.total]).toEqual([["now", "over"], 2]);
    expect(idsOf((await ask("/api/discounts?phase=past").expect(200)).body)).toEqual(["over"]);
    expect(idsOf((await ask("/api/discounts?ids=now,secret").expect(200)).body)).toEqual(["now"]);
  });
});

describe("cursors", () => {
  it("are 400 with another order or kind, or if the site did not make them", async () => {
    await insertRecords(site.db, "items", manyEntries(3));
    await insertRecords(site.db, "vehicles", manyEntries(3));
    const { body } = await ask("/api/items?limit=1").expect(200);
    const cursor = new URL(body.next).searchParams.get("cursor") ?? "";
    await ask(`/api/items?limit=2&cursor=${cursor}`).expect(200);
    await ask(`/api/items?sort=newest&cursor=${cursor}`).expect(400);
    await ask(`/api/vehicles?cursor=${cursor}`).expect(400);
    const forged = Buffer.concat([Buffer.from(cursor, "base64url"), Buffer.from(" ")]).toString("base64url");
    for (const wrong of [forged, "x", "%00", "' or 1", "x".repeat(10_000), cursor.slice(1)]) {
      const answer = await ask(`/api/items?cursor=${wrong}`).expect(400);
      expect(answer.body.errors).toMatchObject([{ param: "cursor" }]);
      await ask(`/api/servers?cursor=${wrong}`).expect(400);
      await ask(`/api/donate-items?cursor=${wrong}`).expect(400);
    }
  });
});
