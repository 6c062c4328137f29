import type { Knex } from "knex";
import { pino } from "pino";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp, type SiteListener } from "../../src/app.ts";
import { createDb } from "../../src/db/connect.ts";
import { buildAssets } from "../../src/web/assets/build.ts";
import { TEST_CONFIG } from "../helpers/app.ts";
import { openTransaction, useTestDatabase } from "../helpers/database.ts";
import { createTestSearch } from "../helpers/search.ts";

const database = useTestDatabase();
let db: Knex;
let app: SiteListener;
beforeAll(async () => {
  db = createDb({ url: database.url, statementTimeoutMs: 300 });
  const search = createTestSearch(database);
  const log = pino({ level: "silent" });
  const assets = await buildAssets();
  app = createApp({ assets, config: TEST_CONFIG, db, slowQueryDb: database.db, log, search });
  // Everything that pages need now and then has been loaded.
  await request(app).get("/login").expect(200);
  afterAll(async () => {
    await search.close();
    await db.destroy();
  });
});

/** Resolves when a query waits for a lock of this table. */
async function untilBlocked(table: string): Promise<void> {
  const waiting = () =>
    database.db("pg_stat_activity").where({ wait_event_type: "Lock" }).whereRaw("query like ?", `%${table}%`);
  await expect.poll(async () => (await waiting()).length, { timeout: 20_000 }).toBeGreaterThan(0);
}

describe("a query that takes too long", () => {
  it("ends with the page that it is for, which says to try again", async () => {
    const held = await openTransaction(database.db);
    await held.raw("lock table servers in access exclusive mode");
    const { status, headers } = await request(app).get("/servers");
    expect([status, Number(headers["retry-after"]) > 0]).toEqual([503, true]);
    await held.rollback();
    await request(app).get("/servers").expect(200);
  });

  it("may go on where it looks at a whole table", async () => {
    const held = await openTransaction(database.db);
    await held.raw("lock table items in access exclusive mode");
    const sitemap = request(app)
      .get("/sitemap.xml")
      .then(({ status }) => status);
    await untilBlocked("items");
    await request(app).get("/compare/items?id=none").expect(503);
    await held.rollback();
    expect(await sitemap).toBe(200);
  });
});
