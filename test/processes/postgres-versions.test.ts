import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { restoreBackup } from "../../src/commands/backup/restore.ts";
import { LEFT_OUT_TABLES } from "../../src/commands/backup/tables.ts";
import { takeBackup } from "../../src/commands/backup/take-backup.ts";
import { createDb } from "../../src/db/connect.ts";
import { createEmptyDatabase, createTestDatabase } from "../helpers/database.ts";
import { fillSite, makePlaces, readJobs, readRows } from "../helpers/full-site.ts";
import { type OtherPostgres, startOtherPostgres } from "../helpers/other-postgres.ts";
import { PAGE_TYPES } from "../helpers/page-types.ts";
import { startSites } from "../helpers/sites.ts";

const LEFT_OUT = LEFT_OUT_TABLES.map(({ table }) => table);

// The oldest that may be; upgrade-postgres has 17, and all other tests have the embedded one.
describe("Postgres 14", { timeout: 300_000 }, () => {
  let other: OtherPostgres;
  beforeAll(async () => {
    other = await startOtherPostgres(14);
  }, 300_000);
  afterAll(() => other?.stop());

  it("takes a site from the embedded one by a backup, and gives it back, with every row and job", async () => {
    const [full, empty] = [await createTestDatabase(), await createEmptyDatabase()];
    onTestFinished(async () => void (await Promise.all([full.drop(), empty.drop()])));
    await fillSite(full.db);
    const { folder, site } = await makePlaces();
    const [there, back] = [path.join(folder, "there.tar"), path.join(folder, "back.tar")];
    await takeBackup(full.db, there, { site, secrets: true });
    const db = createDb({ url: await other.createDatabase("moved"), applicationName: "test" });
    onTestFinished(() => db.destroy());
    await restoreBackup(db, there);
    expect(await readRows(db, LEFT_OUT)).toEqual(await readRows(full.db, LEFT_OUT));
    await takeBackup(db, back, { site, secrets: true });
    await restoreBackup(empty.db, back);
    expect(await readRows(empty.db, LEFT_OUT)).toEqual(await readRows(full.db, LEFT_OUT));
    expect(await readJobs(empty.db)).toEqual(await readJobs(full.db));
  });

  it("answers every page of a site", async () => {
    const DATABASE_URL = await other.createDatabase("demo");
    const env = { DATABASE_URL, MIGRATE_ON_START: "1", DEMO_DATA: "1", POLL: "0", PAGE_LIMIT: "0" };
    const { url } = await startSites(1, { ...env, LOG_LEVEL: "error" });
    for (const { path, status = 200 } of PAGE_TYPES.filter(({ reader }) => reader === "visitor")) {
      const answer = await fetch(url + path);
      await answer.text();
      expect([path, answer.status]).toEqual([path, status]);
    }
  });
});
