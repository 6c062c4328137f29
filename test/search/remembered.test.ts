import { pino } from "pino";
import request from "supertest";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createApp, type SiteListener } from "../../src/app.ts";
import { ChangeFeed } from "../../src/db/change-feed.ts";
import type { LiveSearch } from "../../src/search/live-search.ts";
import { buildAssets } from "../../src/web/assets/build.ts";
import { TEST_CONFIG } from "../helpers/app.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { createTestSearch } from "../helpers/search.ts";

const database = useTestDatabase();
let search: LiveSearch;
let feed: ChangeFeed;
let app: SiteListener;

/** A site that remembers its answers, and looks for changes as one that serves. */
beforeAll(async () => {
  const { db } = database;
  const log = pino({ level: "silent" });
  await db("servers").insert({ id: "dawn", name: "Dawn", status: "online", checked_at: db.fn.now() });
  await db("donate_items").insert({ id: "pass", name: "Dusk Pass", price: "10.00", currency: "EUR" });
  search = createTestSearch(database, { checkEachSearch: false });
  await search.refresh();
  feed = new ChangeFeed({ db, log });
  void feed.start();
  app = createApp({ assets: await buildAssets(), config: TEST_CONFIG, db, log, search, feed });
});
afterAll(async () => {
  await feed.stop();
  await search.close();
});

/** Asked for so often, an answer is remembered. */
async function ask(path: string): Promise<string> {
  for (let n = 0; n < 3; n++) await request(app).get(path).expect(200);
  return (await request(app).get(path)).text;
}

it.each(["/api/search/all?q=", "/search?q="])(
  "shows the figures of a poll and a new price within a second, and no poll is a change: %s",
  async (path) => {
    const { db } = database;
    await db("servers").update({ online: 10 });
    await expect.poll(() => ask(`${path}da`)).toMatch(/\b10\b/);
    const before = [search.epoch, feed.versions?.servers];
    await db("servers").update({ online: 4711 });
    await expect.poll(() => ask(`${path}da`)).toMatch(/4,?711/);
    expect([search.epoch, feed.versions?.servers]).toEqual(before);
    await db("donate_items").update({ price: "10.00" });
    await expect.poll(() => ask(`${path}dusk`)).toContain("10.00");
    await db("donate_items").update({ price: "7.77" });
    await expect.poll(() => ask(`${path}dusk`)).toContain("7.77");
  },
);
