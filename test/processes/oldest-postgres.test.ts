import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { restoreBackup } from "../../src/commands/backup/restore.ts";
import { LEFT_OUT_TABLES } from "../../src/commands/backup/tables.ts";
import { takeBackup } from "../../src/commands/backup/take-backup.ts";
import { loadDemo } from "../../src/commands/demo/load.ts";
import { createDb } from "../../src/db/connect.ts";
import { waitForDatabase } from "../../src/db/wait.ts";
import { useTestApp } from "../helpers/app.ts";
import { createEmptyDatabase, useTestDatabase } from "../helpers/database.ts";
import { fillSite, placesIn, readJobs, readRows } from "../helpers/full-site.ts";
import { type OtherPostgres, startOtherPostgres } from "../helpers/other-postgres.ts";
import { PAGE_TYPES } from "../helpers/page-types.ts";

const LEFT_OUT = LEFT_OUT_TABLES.map(({ table }) => table);

const full = useTestDatabase();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "almanac-versions-"));
  await fillSite(full.db);
  await takeBackup(full.db, path.join(folder, "there.tar"), { site: placesIn(folder), secrets: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

// A site that works on the oldest version and on the embedded one works on those between; see upgrade-postgres.test.ts.
describe("Postgres 14", { timeout: 300_000 }, () => {
  let other: OtherPostgres;
  beforeAll(async () => {
    other = await startOtherPostgres(14);
  }, 300_000);
  afterAll(() => other?.stop());

  /** A site that was moved here from the embedded one. */
  const site = useTestApp({}, undefined, async () => {
    const url = await other.createDatabase("moved");
    const db = createDb({ url, applicationName: "test" });
    await waitForDatabase(db, { log: () => undefined });
    await restoreBackup(db, path.join(folder, "there.tar"));
    return { db, url, drop: () => db.destroy() };
  });

  it("takes a site from the embedded one by a backup, and returns it with every row and job", async () => {
    const empty = await createEmptyDatabase();
    onTestFinished(() => empty.drop());
    const back = path.join(folder, "back.tar");
    expect(await readRows(site.db, LEFT_OUT)).toEqual(await readRows(full.db, LEFT_OUT));
    await takeBackup(site.db, back, { site: placesIn(folder), secrets: true });
    await restoreBackup(empty.db, back);
    expect(await readRows(empty.db, LEFT_OUT)).toEqual(await readRows(full.db, LEFT_OUT));
    expect(await readJobs(empty.db)).toEqual(await readJobs(full.db));
  });

  it("serves every page of a site", async () => {
    await site.db.transaction((transaction) => loadDemo(transaction));
    await site.search.refresh();
    for (const { path, status = 200 } of PAGE_TYPES.filter(({ reader }) => reader === "visitor")) {
      const answer = await request(site.app).get(path);
      expect([path, answer.status]).toEqual([path, status]);
    }
  });
});
