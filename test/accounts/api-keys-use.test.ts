import { pino } from "pino";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { KnownKeys } from "../../src/accounts/keys/known-keys.ts";
import { createKey, listKeys } from "../../src/accounts/keys/queries.ts";
import { ChangeFeed } from "../../src/db/change-feed.ts";
import { useTestApp } from "../helpers/app.ts";
import { openTransaction } from "../helpers/database.ts";

const site = useTestApp();
const log = pino({ level: "silent" });

async function makeUsedKey() {
  const { id } = await site.createUser();
  const key = String(await createKey(site.db, id, { name: "used", expiry: "never" }));
  const ask = () => request(site.app).get("/api/online").set("X-API-Key", key);
  const use = async () => (await listKeys(site.db, id))[0];
  return { id, key, ask, use };
}

const manyUses = (keys: KnownKeys, key: string, count: number) => {
  for (let use = 0; use < count; use += 1) keys.noteUse(key);
};

describe("the use of a key", () => {
  it("is counted in memory, and written in one statement when it is time", async () => {
    const [one, other] = [await makeUsedKey(), await makeUsedKey()];
    await one.ask().expect(200);
    await one.ask().expect(200);
    await other.ask().expect(200);
    expect(await one.use()).toMatchObject({ last_used_at: null, requests: 0 });

    const statements: string[] = [];
    const note = ({ sql }: { sql: string }) => statements.push(sql);
    site.db.on("query", note);
    await site.keys.writeUses();
    await site.keys.writeUses();
    site.db.off("query", note);
    expect(statements).toHaveLength(1);
    expect([(await one.use())?.requests, (await other.use())?.requests]).toEqual([2, 1]);
    expect(Number((await one.use())?.last_used_at)).toBeGreaterThan(Date.now() - 60_000);
  });

  it("is added up over processes that write at once", async () => {
    const made = await Promise.all([makeUsedKey(), makeUsedKey(), makeUsedKey()]);
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
    for (const { use } of made) expect((await use())?.requests).toBe(20 * (1 + 2 + 3));
  });

  it("does not hold up a request while the key's row is locked", async () => {
    const { id, ask } = await makeUsedKey();
    const held = await openTransaction(site.db);
    await held("api_keys").where({ user_id: id }).forUpdate().first();
    await ask().expect(200);
    await held.rollback();
  });
});

describe("the list of keys", () => {
  it("shows the number of requests", async () => {
    const { id, agent } = await site.logIn();
    const key = String(await createKey(site.db, id, { name: "counted", expiry: "never" }));
    expect(await site.keys.find(key)).toBe(id);
    manyUses(site.keys, key, 1234);
    await site.keys.writeUses();
    expect((await agent.get("/profile/keys").expect(200)).text).toContain('data-label="Calls">1,234</td>');
  });
});
