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
  await db("servers").insert({
    id: "dawn",
    name: "Dawn Role Play",
    status: "online",
    online: 10,
    checked_at: db.fn.now(),
  });
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

const PATHS = ["/api/search/all?q=da", "/search?q=da"];

/** Asked for so often, an answer is remembered. */
async function ask(path: string): Promise<string> {
  for (let n = 0; n < 3; n++) await request(app).get(path).expect(200);
  return (await request(app).get(path)).text;
}

it.each(PATHS)(
  "shows the figures of a poll within a second, which changes nothing else: %s",
  async (path) => {
    await database.db("servers").update({ online: 10 });
    await expect.poll(() => ask(path)).toMatch(/\b10\b/);
    const before = [search.epoch, feed.versions?.servers];
    await database.db("servers").update({ online: 4711 });
    await expect.poll(() => ask(path)).toMatch(/4,?711/);
    expect([search.epoch, feed.versions?.servers]).toEqual(before);
  },
);

it.each(["/api/search/all?q=dusk", "/search?q=dusk"])(
  "shows a new price within a second: %s",
  async (path) => {
    await database.db("donate_items").update({ price: "10.00" });
    await expect.poll(() => ask(path)).toContain("10.00");
    await database.db("donate_items").update({ price: "7.77" });
    await expect.poll(() => ask(path)).toContain("7.77");
  },
);
