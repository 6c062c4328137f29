import { pino } from "pino";
import request from "supertest";
import { describe, expect, it, onTestFinished } from "vitest";
import { KnownKeys } from "../../src/accounts/keys/known-keys.ts";
import { createKey, listKeys } from "../../src/accounts/keys/queries.ts";
import { ERRORS_KEPT, findKeyUses, removeOldKeyUses } from "../../src/accounts/keys/use-queries.ts";
import { ChangeFeed } from "../../src/db/change-feed.ts";
import { createDb } from "../../src/db/connect.ts";
import { useTestApp } from "../helpers/app.ts";
import { openTransaction } from "../helpers/database.ts";

const site = useTestApp({ limits: { key: 4, address: 0, session: 0, pages: 0, windowS: 60 } });

async function newKey(name = "my bot") {
  const owner = await site.logIn();
  const key = String(await createKey(site.db, owner.id, { name, expiry: "never" }));
  const ask = (path = "/api/online") => request(site.app).get(path).set("X-API-Key", key);
  const use = async () => {
    await site.keys.writeUses();
    return [...(await findKeyUses(site.db, owner.id)).values()][0];
  };
  const listed = async () => (await listKeys(site.db, owner.id))[0];
  const show = async () => (await owner.agent.get("/profile/keys").expect(200)).text;
  return { ...owner, key, ask, use, listed, show };
}

describe("the use of a key, day by day", () => {
  it("is 30 days with what was answered and what was refused", async () => {
    const { ask, use } = await newKey();
    for (const status of [200, 200, 200, 200, 429, 429]) await ask("/api/online").expect(status);
    const days = (await use())?.days ?? [];
    expect(days).toHaveLength(30);
    expect(days.at(-1)).toEqual({ requests: 4, refused: 2 });
    expect(days.slice(0, -1).every(({ requests, refused }) => requests + refused === 0)).toBe(true);
  });

  it("is added to what is there already, and is forgotten after 30 days", async () => {
    const { id, ask, use } = await newKey();
    await ask("/api/online").expect(200);
    await use();
    await ask("/api/online").expect(200);
    expect((await use())?.days.at(-1)).toEqual({ requests: 2, refused: 0 });
    const mine = () =>
      site.db("api_key_days").whereIn("key_id", site.db("api_keys").where({ user_id: id }).select("id"));
    await mine().update({ day: site.db.raw("day - 29") });
    await removeOldKeyUses(site.db);
    expect((await use())?.days.at(0)).toEqual({ requests: 2, refused: 0 });
    await mine().update({ day: site.db.raw("day - 1") });
    await removeOldKeyUses(site.db);
    expect(await use()).toBeUndefined();
  });
});

describe("the last errors of a key", () => {
  it("have time, path, status and reason, and nothing of the query", async () => {
    const { ask, key, use } = await newKey();
    const before = Date.now();
    await request(site.app)
      .get(`/api/items/search?q=${"x".repeat(300)}&api_key=${key}`)
      .expect(400);
    await ask("/api/nothing?secret=1").expect(404);
    await ask("/api/online").expect(200);
    const { errors = [] } = (await use()) ?? {};
    const call = { at: expect.any(Date), method: "GET" };
    expect(errors).toEqual([
      { ...call, path: "/api/nothing", status: 404, problem: "not-found", params: [] },
      { ...call, path: "/api/items/search", status: 400, problem: "bad-input", params: ["q"] },
    ]);
    for (const { at } of errors) expect(Math.abs(Number(at) - before)).toBeLessThan(60_000);
    expect(JSON.stringify(errors)).not.toContain(key);
  });

  it("are the last 20, and of a refusal only the number", async () => {
    const { keys, db } = site;
    const { key, ask, use } = await newKey();
    for (const status of [404, 404, 404, 404, 429]) await ask("/api/none").expect(status);
    const failed = { method: "GET", path: "/api/none", status: 404, problem: null, params: [] };
    for (let nth = 0; nth < 25; nth += 1) keys.noteError(key, { ...failed, path: `/api/none/${nth}` });
    await use();
    keys.noteError(key, { ...failed, path: "/api/none/last" });
    const paths = ((await use())?.errors ?? []).map(({ path }) => path);
    expect(paths).toHaveLength(ERRORS_KEPT);
    expect(paths.slice(0, 2)).toEqual(["/api/none/last", "/api/none/24"]);
    await removeOldKeyUses(db);
    expect(((await use())?.errors ?? []).map(({ path }) => path)).toEqual(paths);
    expect(await db("api_key_errors").where({ path: "/api/none/0" })).toEqual([]);
  });
});

describe("the page of keys", () => {
  it("shows each key's use to its owner, and to nobody else", async () => {
    const { ask, use, show } = await newKey("the <b>bot</b>");
    expect(await show()).not.toContain("Usage in the last 30 days");
    for (const [path, status] of [
      ["/api/online", 200],
      ["/api/none/%3Cscript%3E?q=zzsecret", 404],
    ] as const)
      await ask(path).expect(status);
    await use();
    const text = await show();
    expect(text).toContain("Usage in the last 30 days");
    expect(text).toContain("the &lt;b&gt;bot&lt;/b&gt;");
    expect(text).toContain("2 calls.");
    expect(text).toContain('data-label="Calls">2</td>');
    expect(text).toMatch(/<svg class="key-use" [^>]*aria-label="Calls per day; 2 on the busiest day">/);
    expect(text.match(/<rect class="key-answered"/g)).toHaveLength(1);
    expect(text).toContain("<code>GET /api/none/%3Cscript%3E</code>");
    expect(text).toContain('<a href="/docs/errors#not-found">Not found</a>');
    expect(text).not.toContain("zzsecret");
    expect(await (await newKey()).show()).not.toContain("2 calls.");
  });
});

const log = pino({ level: "silent" });

const manyUses = (keys: KnownKeys, key: string, count: number) => {
  for (let use = 0; use < count; use += 1) keys.noteUse(key);
};

describe("the use of a key", () => {
  it("is counted in memory, and written in one statement when it is time", async () => {
    const [one, other] = [await newKey(), await newKey()];
    await one.ask().expect(200);
    await one.ask().expect(200);
    await other.ask().expect(200);
    expect(await one.listed()).toMatchObject({ last_used_at: null, requests: 0 });

    const statements: string[] = [];
    const note = ({ sql }: { sql: string }) => statements.push(sql);
    site.db.on("query", note);
    await site.keys.writeUses();
    await site.keys.writeUses();
    site.db.off("query", note);
    expect(statements).toHaveLength(1);
    expect([(await one.listed())?.requests, (await other.listed())?.requests]).toEqual([2, 1]);
    expect(Number((await one.listed())?.last_used_at)).toBeGreaterThan(Date.now() - 60_000);
  });

  it("is the time of the last request, not that of its writing, and never goes back", async () => {
    const { id, ask, listed } = await newKey();
    await ask().expect(200);
    const later = new Date(Date.now() + 60_000);
    await site.db("api_keys").where({ user_id: id }).update({ last_used_at: later });
    await site.keys.writeUses();
    expect(await listed()).toMatchObject({ last_used_at: later, requests: 1 });
  });

  it("is added up over processes that write at once", async () => {
    const made = await Promise.all([newKey(), newKey(), newKey()]);
    const processes = [1, 2, 3].map(
      () => new KnownKeys({ db: site.db, feed: new ChangeFeed({ db: site.db, log }), log }),
    );
    for (let round = 0; round < 20; round += 1) {
      for (const [nth, keys] of processes.entries()) {
        // In another order each, which would make them wait for each other.
        const order = nth % 2 === 0 ? made : made.toReversed();
        for (const { id, key } of order) {
          expect(await keys.find(key)).toBe(id);
          manyUses(keys, key, nth + 1);
        }
      }
      await Promise.all(processes.map((keys) => keys.writeUses()));
    }
    for (const { listed } of made) expect((await listed())?.requests).toBe(20 * (1 + 2 + 3));
  });

  it("is kept for the next time where it cannot be written", async () => {
    const { id, key, listed } = await newKey();
    const hasty = createDb({ url: site.url, statementTimeoutMs: 100 });
    onTestFinished(() => hasty.destroy());
    const feed = new ChangeFeed({ db: site.db, log });
    const keys = new KnownKeys({ db: site.db, ownDb: hasty, feed, log });
    expect(await keys.find(key)).toBe(id);
    manyUses(keys, key, 2);
    const held = await openTransaction(site.db);
    await held("api_keys").where({ user_id: id }).forUpdate().first();
    await keys.writeUses();
    await held.rollback();
    expect((await listed())?.requests).toBe(0);
    manyUses(keys, key, 1);
    await keys.writeUses();
    expect((await listed())?.requests).toBe(3);
  });

  it("is not counted for a revoked key", async () => {
    const { id, ask, listed } = await newKey();
    await site.db("api_keys").where({ user_id: id }).update({ revoked_at: site.db.fn.now() });
    await ask().expect(401);
    await site.keys.writeUses();
    expect(await listed()).toMatchObject({ last_used_at: null, requests: 0 });
  });
});
