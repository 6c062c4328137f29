import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { Knex } from "knex";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LEFT_OUT_TABLES } from "../../src/commands/backup/tables.ts";
import { createDb } from "../../src/db/connect.ts";
import { fetchPackage } from "../../src/db/embedded/fetch-package.ts";
import { startEmbeddedPostgres } from "../../src/db/embedded/start.ts";
import { migrate } from "../../src/db/migrate.ts";
import { useCli } from "../helpers/cli.ts";
import { openPool } from "../helpers/database.ts";
import { useEmbedded } from "../helpers/embedded.ts";
import { fillSite, readJobs, readRows } from "../helpers/full-site.ts";

const { dataDirectory, start } = useEmbedded();
const cli = useCli();
const LEFT_OUT = LEFT_OUT_TABLES.map(({ table }) => table);

let folder: string;
/** Postgres 17, from the package that has the site's own. */
let packageRoot: string;
/** A database of a full site on Postgres 17, as an older version of Almanac left it, and what is in it. */
let old: { directory: string; content: unknown };

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "almanac-postgres-17-"));
  packageRoot = await fetchPackage(17, folder);
  const directory = path.join(folder, "data", "postgres");
  const server = await startEmbeddedPostgres({ directory, packageRoot, log: () => undefined });
  const db = createDb({ url: server.url });
  await migrate(db);
  await fillSite(db);
  old = { directory, content: await readContent(db) };
  await db.destroy();
  await server.stop();
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** All content of the site on that database. */
async function readContent(db: Knex): Promise<unknown> {
  return { rows: await readRows(db, LEFT_OUT), jobs: await readJobs(db) };
}

/** A data directory of its own with that database. */
async function oldSite(): Promise<{ dataDir: string; content: unknown }> {
  const dataDir = await dataDirectory();
  await promisify(execFile)("cp", ["-a", old.directory, dataDir]);
  return { dataDir, content: old.content };
}

async function contentNow(directory: string, options: { packageRoot?: string } = {}): Promise<unknown> {
  const server = await start(directory, options);
  const db = openPool(server.url);
  const content = await readContent(db);
  await db.destroy();
  await server.stop();
  return content;
}

const run = (dataDir: string, command: string, ...args: string[]) =>
  cli.run({ DATA_DIR: dataDir, PORT: "0" }, command, ...args);

/** What is left of an upgrade. */
const LEFT = ["before-postgres-18.tar", "postgres", "postgres-17"];

describe("upgrade-postgres", { timeout: 300_000 }, () => {
  it("moves everything to the new version, keeps the old one and a backup, and is resumed after a crash", async () => {
    const { dataDir, content } = await oldSite();
    const at = (name: string) => path.join(dataDir, name);
    expect([await run(dataDir, "serve"), cli.err]).toEqual([
      1,
      expect.stringContaining("-- upgrade-postgres"),
    ]);

    // Without --programs, as most call it.
    expect([await run(dataDir, "upgrade-postgres"), cli.err, cli.out]).toEqual([
      0,
      expect.stringContaining("Fetching the programs of Postgres 17"),
      expect.stringMatching(
        /^The database is of Postgres 18 now, with all \d+ rows\nThat of Postgres 17 is in /,
      ),
    ]);
    expect((await readdir(dataDir)).toSorted()).toEqual(LEFT);
    expect((await readFile(at("postgres/PG_VERSION"), "utf8")).trim()).toBe("18");
    expect(await contentNow(at("postgres-17"), { packageRoot })).toEqual(content);
    expect([await run(dataDir, "upgrade-postgres"), cli.out]).toEqual([
      0,
      expect.stringContaining("Nothing to do"),
    ]);

    // As if it was killed before its last step: the next start does that.
    await rename(at("postgres"), at("postgres.upgraded"));
    expect(await contentNow(at("postgres"))).toEqual(content);
    // And before the last two: it starts over.
    await rename(at("postgres"), at("postgres.upgraded"));
    await rename(at("postgres-17"), at("postgres"));
    expect(await run(dataDir, "upgrade-postgres", "--programs", packageRoot)).toBe(0);
    expect((await readdir(dataDir)).toSorted()).toEqual(LEFT);
    expect(await contentNow(at("postgres"))).toEqual(content);
  });

  it("leaves the old database as it was if it fails", async () => {
    const { dataDir, content } = await oldSite();
    const fails = async (programs: string, reason: string) =>
      expect([await run(dataDir, "upgrade-postgres", "--programs", programs), cli.err]).toEqual([
        1,
        expect.stringContaining(reason),
      ]);
    const running = await start(path.join(dataDir, "postgres"), { packageRoot });
    await fails(packageRoot, "nothing was changed: the site, or another command of it, is running");
    await running.stop();
    await fails(folder, "nothing was changed");
    await writeFile(path.join(dataDir, "postgres-17"), "the operator's own");
    await fails(packageRoot, "postgres-17 is in the way");
    expect(await contentNow(path.join(dataDir, "postgres"), { packageRoot })).toEqual(content);
  });
});
