import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { saveWish } from "../../src/accounts/favorites/queries.ts";
import { createKey } from "../../src/accounts/keys/queries.ts";
import { OWNER_SCOPES, type OwnerScope } from "../../src/words/scopes.ts";
import { addCrossing, wantAlerts } from "../helpers/alerts.ts";
import { walkPages } from "../helpers/api-reads.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { emptyTables } from "../helpers/database.ts";
import { addDiscount, addItem } from "../helpers/donate.ts";
import { kind, makeTables, QUESTS, useOwnKinds } from "../helpers/own-kinds.ts";
import { addServer } from "../helpers/servers.ts";

useOwnKinds(QUESTS);
const site = useTestApp();

let agent: Agent;
let userId: number;
let key: string;

async function makeKey(owner: number, scopes: readonly OwnerScope[]): Promise<string> {
  return String(await createKey(site.db, owner, { name: "a key", expiry: "never", scopes }));
}

beforeEach(async () => {
  await makeTables(site.db);
  await emptyCatalogue(site.db);
  await emptyTables(site.db, "quests, camps, servers, donate_items, discounts, notifications");
  ({ id: userId, agent } = await site.logIn());
  key = await makeKey(userId, OWNER_SCOPES);
  await addServer(site.db, { id: "berlin", name: "Berlin" });
  await addItem(site.db, { id: "vip", name: "VIP", names: { ru: "ВИП" }, price: "10.00" });
  await insertRecords(site.db, "items", [
    { id: "1", name: "Halberd", names: { ru: "Алебарда" }, category: "Weapons" },
  ]);
});

const ask = (path: string, withKey = key) => request(site.app).get(path).set("X-API-Key", withKey);

const toggle = (path: string, form: object) => agent.post(`/api/${path}/toggle`).send(form).expect(200);
const starOffer = () => toggle("donate_favorites", { item_key: "vip" });
const star = (kind: string, entity_id: string) => toggle("entry_favorites", { kind, entity_id });

describe("GET /api/favorites", () => {
  it("lists the favorites of the key's owner of every kind, newest first", async () => {
    await star("item", "1");
    await wantAlerts(site.db, [userId], "berlin", [{ what: "up" }, { what: "queue", value: 5 }]);
    await saveWish(site.db, userId, "vip", "4.50");
    const { body } = await ask("/api/favorites").expect(200);
    const added_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const common = { category: null, names: {}, wish: null, alerts: [], added_at };
    const vip = { kind: "shop_item", id: "vip", name: "VIP", url: "http://almanac.test/donate/vip" };
    const berlin = {
      kind: "server",
      id: "berlin",
      name: "Berlin",
      url: "http://almanac.test/servers/berlin",
    };
    const halberd = { kind: "item", id: "1", name: "Halberd", url: "http://almanac.test/items/1" };
    const up = { what: "up", value: null };
    expect(body).toEqual({
      total: 3,
      next: null,
      records: [
        { ...common, ...vip, names: { ru: "ВИП" }, wish: { price: "4.50", currency: "EUR" } },
        { ...common, ...berlin, alerts: [up, { what: "queue", value: 5 }] },
        { ...common, ...halberd, names: { ru: "Алебарда" }, category: "Weapons" },
      ],
    });
  });

  it("has those of the operator's own kinds, filters by kind, and takes fields, a language and CSV", async () => {
    await insertRecords(site.db, kind("quests"), [{ id: "q", name: "Hunt", names: { ru: "Охота" } }]);
    await star("quest", "q");
    await star("item", "1");
    const { body } = await ask("/api/favorites?kind=quest&fields=name,kind&lang=ru").expect(200);
    expect(body).toEqual({ total: 1, next: null, records: [{ name: "Охота", kind: "quest" }] });
    expect((await ask("/api/favorites?kind=server")).body).toEqual({ total: 0, next: null, records: [] });
    await ask("/api/favorites?kind=nickname").expect(400);
    await ask("/api/favorites?fields=password").expect(400);
    const { text, type } = await ask("/api/favorites?fields=kind,id").set("Accept", "text/csv").expect(200);
    expect([type, text]).toEqual(["text/csv", "kind,id\r\nitem,1\r\nquest,q\r\n"]);
  });

  it("is read page by page, by cursors that are of one user's list alone", async () => {
    const ids = Array.from({ length: 7 }, (_, place) => `s${place}`);
    for (const id of ids) await addServer(site.db, { id });
    // All at the same time, so that only kind and id order them.
    await site.db("server_favorites").insert(ids.map((server_id) => ({ user_id: userId, server_id })));
    expect((await walkPages(ask, "/api/favorites?limit=3")).flat()).toEqual(ids);
    const { body } = await ask("/api/favorites?limit=3");
    const { search } = new URL(body.next);
    const other = await site.createUser();
    const theirs = await makeKey(other.id, OWNER_SCOPES);
    await ask(`/api/favorites${search}`, theirs).expect(400);
    await ask(`/api/notifications${search}`).expect(400);
    await ask(`/api/favorites${search}&kind=server`).expect(400);
  });
});

describe("GET /api/notifications", () => {
  it("has discounts, met wishes and servers, as the inbox does", async () => {
    await addDiscount(site.db, { id: "sale", item_key: "vip", percent: 50, title: "Autumn" });
    await starOffer();
    await wantAlerts(site.db, [userId], "berlin", [{ what: "online", value: 10 }]);
    const crossing_id = await addCrossing(site.db, "berlin", { what: "online", value: 10 }, { online: 12 });
    await site.db("notifications").insert({ user_id: userId, crossing_id });
    const { body } = await ask("/api/notifications").expect(200);
    const [alert, discount] = body.records;
    expect(body.total).toBe(2);
    expect(alert).toMatchObject({
      ...{ about: "server", title: "Berlin: over 10 online", server_id: "berlin", item_key: null },
      ...{ url: "http://almanac.test/servers/berlin", offer: null, read_at: null },
      alert: { what: "online", value: 10, online: 12, queue: null, max_online: null },
    });
    expect(discount).toMatchObject({
      ...{ about: "discount", title: "VIP: 5.00 EUR, down from 10.00 EUR", name: "VIP", item_key: "vip" },
      ...{ server_id: null, url: "http://almanac.test/donate/vip", alert: null },
      offer: { old_price: "10.00", new_price: "5.00", currency: "EUR", state: "running", price_now: "5.00" },
    });
    const russian = await ask("/api/notifications?lang=ru&fields=name,title");
    expect(russian.body.records[1].name).toBe("ВИП");
    expect(russian.body.records[1].title).toMatch(/^ВИП: 5,00/);
  });

  it("marks nothing as read, and lists only unread ones on request", async () => {
    const filler = { user_id: userId, item_name: "Gone", new_price: "1.00", currency: "EUR" };
    await site.db("notifications").insert([filler, { ...filler, read_at: site.db.fn.now() }, filler]);
    const read = async (query: string) => (await ask(`/api/notifications?${query}`).expect(200)).body;
    const [newest] = (await read("limit=1")).records;
    const gone = { about: "discount", item_key: null, url: "http://almanac.test/notifications" };
    expect(newest).toMatchObject(gone);
    const unread = await read("unread=1&limit=1");
    expect(unread.total).toBe(2);
    const { search } = new URL(unread.next);
    const last = await read(search.slice(1));
    expect([unread.records[0].id, last.records[0].id].map(Number)).toEqual(
      await site.db("notifications").whereNull("read_at").orderBy("id", "desc").pluck("id"),
    );
    expect(last.next).toBeNull();
    expect((await read("")).total).toBe(3);
  });
});

describe.each([
  ["/api/favorites", "read:notifications"],
  ["/api/notifications", "read:favorites"],
] as const)("%s", (path, other) => {
  it("belongs to its owner only", async () => {
    await addDiscount(site.db, { id: "sale", item_key: "vip", percent: 50 });
    await starOffer();
    const { id } = await site.logIn();
    const theirs = await makeKey(id, OWNER_SCOPES);
    expect((await ask(path)).body.total).toBe(1);
    expect((await ask(path, theirs)).body).toEqual({ total: 0, next: null, records: [] });
    // The key decides, whoever is logged in.
    expect((await agent.get(path).set("X-API-Key", theirs)).body.total).toBe(0);
    expect((await agent.get(path).expect(200)).body.total).toBe(1);
  });

  it("ends with the key, and is cached by its caller only", async () => {
    const { headers } = await ask(path).expect(200);
    expect(headers["cache-control"]).toBe("private, no-cache");
    expect(headers.vary).toContain("X-API-Key, Cookie");
    await ask(path).set("If-None-Match", String(headers.etag)).expect(304);
    await starOffer();
    const notification = { user_id: userId, item_name: "G", new_price: "1.00", currency: "EUR" };
    await site.db("notifications").insert(notification);
    await ask(path).set("If-None-Match", String(headers.etag)).expect(200);
    const scopes = [other];
    await site.db("api_keys").where({ user_id: userId }).update({ scopes });
    await ask(path).expect(403);
    await site.db("api_keys").where({ user_id: userId }).update({ revoked_at: site.db.fn.now() });
    await ask(path).expect(401);
  });
});
