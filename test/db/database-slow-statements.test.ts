import { pino } from "pino";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { createApp } from "../../src/app.ts";
import { startLoops } from "../../src/commands/jobs/background.ts";
import { createDb } from "../../src/db/connect.ts";
import { logSlowStatements } from "../../src/db/slow-statements.ts";
import { runAs } from "../../src/db/work.ts";
import { buildAssets } from "../../src/web/assets/build.ts";
import { TEST_CONFIG } from "../helpers/app.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { createTestSearch } from "../helpers/search.ts";

const database = useTestDatabase();

/** A pool whose slow statements are kept as the lines of a log. */
function watched(slowMs: number) {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ base: null }, { write: (line) => lines.push(JSON.parse(line)) });
  const db = createDb({ url: database.url, poolMax: 3 });
  logSlowStatements(db, { log, slowMs });
  const slow = () => lines.filter(({ msg }) => msg === "a statement was slow");
  return { db, log, slow };
}

describe("a slow statement", () => {
  it("is logged with what it is for, and without its values", async () => {
    const { db, slow } = watched(200);
    await runAs(
      () => ({ request: "sleep" }),
      () => db.raw("select pg_sleep(?),\n   ?::text", [0.3, "what a user typed"]),
    );
    await db.raw("select 1");
    await db.destroy();
    expect(slow()).toEqual([
      expect.objectContaining({
        request: "sleep",
        outcome: "done",
        statement: "select pg_sleep($1), $2::text",
      }),
    ]);
    expect(slow()[0]?.ms).toBeGreaterThanOrEqual(290);
    expect(JSON.stringify(slow())).not.toContain("what a user typed");
  });

  it("is logged when it fails, and within a transaction", async () => {
    const { db, slow } = watched(200);
    const failing = db.transaction(async (transaction) => {
      await transaction.raw("set local statement_timeout = 250");
      await transaction.raw("select pg_sleep(60)");
    });
    await expect(failing).rejects.toThrow(/statement timeout/);
    await db.destroy();
    expect(slow()).toMatchObject([{ outcome: "failed", statement: "select pg_sleep(60)" }]);
  });

  it("is the only one logged of those sent behind it on its connection", async () => {
    const { db, slow } = watched(200);
    await db.transaction(async (transaction) => {
      await Promise.all([
        transaction.raw("select pg_sleep(0.3)"),
        transaction.raw("select 1"),
        transaction.raw("select 2"),
      ]);
    });
    await db.destroy();
    expect(slow()).toMatchObject([{ statement: "select pg_sleep(0.3)" }]);
  });

  it("is logged after ten times as long where nobody waits for it", async () => {
    const { db, slow } = watched(20);
    const behinds: Record<string, string>[] = [{ loop: "short" }, { job: "short" }];
    for (const behind of behinds)
      await runAs(
        () => behind,
        () => db.raw("select pg_sleep(0.1)"),
      );
    await runAs(
      () => ({ loop: "long" }),
      () => db.raw("select pg_sleep(0.25)"),
    );
    await db.destroy();
    expect(slow()).toMatchObject([{ loop: "long" }]);
  });

  it("is not logged where the setting is 0", async () => {
    const { db, slow } = watched(0);
    await db.raw("select pg_sleep(0.3)");
    await db.destroy();
    expect(slow()).toEqual([]);
  });
});

it("names the request and route", async () => {
  // Every statement is slow by this measure.
  const { db, log, slow } = watched(0.001);
  const search = createTestSearch(database);
  const app = createApp({ assets: await buildAssets(), config: TEST_CONFIG, db, log, search });
  await Promise.all([
    request(app).get("/en/items").expect(200),
    request(app).get("/api/data").expect(401),
    request(app).get("/api/search?q=x").expect(200),
  ]);
  const { headers } = await request(app).get("/ru/items/none").expect(404);
  await search.close();
  await db.destroy();
  expect(slow()).toContainEqual(expect.objectContaining({ route: "/items", request: expect.any(String) }));
  const ofOne = slow().filter((line) => line.request === headers["x-request-id"]);
  expect(ofOne.length).toBeGreaterThan(0);
  expect(new Set(ofOne.map(({ route }) => route))).toEqual(new Set(["/items/:id"]));
});

it("names the loop", async () => {
  const { db, log, slow } = watched(0.001);
  const loop = { name: "look around", everySeconds: 60, run: () => db.raw("select 1") };
  const loops = startLoops([loop], log);
  await expect.poll(slow).toContainEqual(expect.objectContaining({ loop: "look around" }));
  await loops.stop();
  await db.destroy();
});
