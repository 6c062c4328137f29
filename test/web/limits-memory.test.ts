import { pino } from "pino";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp, type SiteListener } from "../../src/app.ts";
import { ChangeFeed } from "../../src/db/change-feed.ts";
import type { LiveSearch } from "../../src/search/live-search.ts";
import { buildAssets } from "../../src/web/assets/build.ts";
import { TEST_CONFIG } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { createTestSearch } from "../helpers/search.ts";

const log = pino({ level: "silent" });

describe("an answer from memory", () => {
  const database = useTestDatabase();
  let search: LiveSearch;
  let app: SiteListener;
  let handled = 0;

  beforeAll(async () => {
    const { db } = database;
    await insertRecords(db, "items", [{ id: "ak", name: "AK" }]);
    search = createTestSearch(database, { checkEachSearch: false });
    await search.refresh();
    const limits = { key: 9, address: 9, session: 9, pages: 9, windowS: 60 };
    const feed = new ChangeFeed({ db, log, maxAgeMs: 60_000 });
    const config = { ...TEST_CONFIG, limits, trustProxy: 1 };
    app = createApp({ assets: await buildAssets(), config, db, log, search, feed });
    const { handle } = app.express as unknown as { handle: (...parts: unknown[]) => unknown };
    Object.assign(app.express, {
      handle(this: unknown, ...parts: unknown[]) {
        handled += 1;
        return handle.apply(this, parts);
      },
    });
  });
  afterAll(() => search.close());

  const from = (address: string, path: string) => request(app).get(path).set("X-Forwarded-For", address);

  it("returns what is left for this caller, on 304 too, and never another's", async () => {
    const answers = [];
    for (let call = 0; call < 3; call += 1) answers.push(await from("203.0.113.1", "/api/search?q=ak"));
    expect(handled).toBe(2);
    answers.push(await from("203.0.113.2", "/api/search?q=ak"));
    const { etag } = answers[0]?.headers ?? {};
    answers.push(await from("203.0.113.2", "/api/search?q=ak").set("If-None-Match", String(etag)));
    expect(handled).toBe(2);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 304]);
    expect(answers.map(({ headers }) => headers.ratelimit)).toEqual(
      [8, 7, 6, 8, 7].map((left) => expect.stringMatching(`^"address";r=${left};t=\\d+$`)),
    );
    for (const { headers } of answers) expect(headers["ratelimit-policy"]).toBe('"address";q=9;w=60');
  });

  it("counts, so that memory is no way around a limit", async () => {
    for (let call = 0; call < 9; call += 1) await from("203.0.113.3", "/api/search?q=ak").expect(200);
    const before = handled;
    await from("203.0.113.3", "/api/search?q=ak").expect(429);
    for (let page = 0; page < 9; page += 1) {
      const { headers } = await from("203.0.113.4", "/items").expect(200);
      expect(headers).not.toHaveProperty("ratelimit");
    }
    await from("203.0.113.4", "/items").expect(429);
    expect(handled - before).toBeLessThanOrEqual(4);
  });
});
