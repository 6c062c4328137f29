import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { explainBackupFailure } from "../../src/commands/backup/backup-error.ts";
import { LEFT_OUT_TABLES, SESSIONS } from "../../src/commands/backup/tables.ts";
import { readFailedCommand } from "../../src/db/backup-state-queries.ts";
import { FolderStore } from "../../src/records/pictures/store.ts";
import { useCli } from "../helpers/cli.ts";
import { openPool, useTestDatabase } from "../helpers/database.ts";
import { useEmbedded } from "../helpers/embedded.ts";
import { fillSite, makePlaces, readRows } from "../helpers/full-site.ts";

const database = useTestDatabase();
const { dataDirectory, start } = useEmbedded();
const cli = useCli();
const run = (settings: Record<string, string>, ...args: string[]) =>
  cli.run({ MIGRATE_ON_START: "0", ...settings }, ...args);

const PICTURE = "0123456789abcdef0123456789abcdef";

/** A backup with a vocabulary and a secret. */
async function backUpWithFiles(): Promise<string> {
  const { folder, site } = await makePlaces();
  const here = { DATABASE_URL: database.url, DATA_DIR: site.dataDir };
  await mkdir(path.join(site.dataDir, "secrets"), { recursive: true });
  await writeFile(path.join(site.dataDir, "site.json"), '{"kinds": {}}');
  await writeFile(path.join(site.dataDir, "secrets/session-secret"), "very secret\n");
  const file = path.join(folder, "a.tar");
  expect(await run(here, "backup", file, "--secrets")).toBe(0);
  return file;
}

describe("backup and restore", () => {
  it("move a site from a server to the embedded one, with pictures, vocabulary and secrets", async () => {
    await fillSite(database.db);
    const { folder, site } = await makePlaces();
    const here = { DATABASE_URL: database.url, DATA_DIR: site.dataDir };
    const files = new Map([["640.webp", Buffer.from([1, 2, 3])]] as const);
    await new FolderStore(path.join(site.dataDir, "pictures")).write(PICTURE, files);
    await writeFile(path.join(site.dataDir, "site.json"), '{"kinds": {}}');
    await mkdir(path.join(site.dataDir, "secrets"));
    await writeFile(path.join(site.dataDir, "secrets/session-secret"), "very secret\n");
    const file = path.join(folder, "move.tar");
    expect([await run(here, "backup", file, "--secrets"), cli.err]).toEqual([
      0,
      expect.not.stringContaining("almanac:"),
    ]);
    expect(cli.out).toMatch(/^\S+move\.tar: \d+ rows of \d+ tables, 1 picture file, \d+ bytes/);

    const there = await dataDirectory();
    await mkdir(path.join(there, "secrets"));
    await writeFile(path.join(there, "secrets/session-secret"), "made at the first start\n");
    expect([await run({ DATA_DIR: there }, "restore", file), cli.err]).toEqual([
      0,
      expect.stringContaining("session-secret is that of the backup"),
    ]);
    expect(await readFile(path.join(there, "site.json"), "utf8")).toBe('{"kinds": {}}');
    expect(await readFile(path.join(there, "secrets/session-secret"), "utf8")).toBe("very secret\n");
    expect((await stat(path.join(there, "secrets/session-secret"))).mode & 0o777).toBe(0o600);
    expect(await readFile(path.join(there, "secrets/session-secret.before-restore"), "utf8")).toBe(
      "made at the first start\n",
    );
    const store = new FolderStore(path.join(there, "pictures"));
    expect(await store.read(PICTURE, "640.webp")).toEqual(Buffer.from([1, 2, 3]));
    const embedded = await start(path.join(there, "postgres"));
    const leftOut = LEFT_OUT_TABLES.map(({ table }) => table);
    const rows = await readRows(openPool(embedded.url), leftOut);
    expect(rows).toEqual(await readRows(database.db, leftOut));
    expect((rows[SESSIONS] as unknown[]).length).toBe(1);
  });

  it("checks a file without a database, and on trial restores it into one that is thrown away", async () => {
    const { folder, site } = await makePlaces();
    const file = path.join(folder, "a.tar");
    expect(await run({ DATABASE_URL: database.url, DATA_DIR: site.dataDir }, "backup", file)).toBe(0);
    const nowhere = { DATABASE_URL: "postgres://127.0.0.1:1/none", DATA_DIR: await dataDirectory() };
    expect([await run(nowhere, "backup", "--verify", file), cli.err]).toEqual([0, ""]);
    expect(cli.out).toMatch(/a\.tar is whole: of 20\d\d-/);
    expect(await run(nowhere, "backup", "--verify", "--trial", file)).toBe(0);
    expect(cli.out).toContain("It was restored into a database that was thrown away, with every row.");
    expect(await readdir(nowhere.DATA_DIR)).toEqual([]);
  });

  it("says in a sentence why nothing was done", async () => {
    const { folder, site } = await makePlaces();
    const here = { DATABASE_URL: database.url, DATA_DIR: site.dataDir };
    const file = path.join(folder, "a.tar");
    await writeFile(file, "something else");
    expect([await run(here, "backup", file), cli.err]).toEqual([
      1,
      `almanac: nothing was written: ${file} is there already; --force replaces it.\n`,
    ]);
    expect(await readFile(file, "utf8")).toBe("something else");
    expect([await run(here, "backup", "--verify", file), cli.err]).toEqual([
      1,
      `almanac: ${file} cannot be used: it is not a backup of Almanac.\n`,
    ]);
    expect([await run(here, "restore", file), cli.err]).toEqual([
      1,
      "almanac: nothing was changed: it is not a backup of Almanac.\n",
    ]);
    expect([await run(here, "restore", `${file}x`), cli.err]).toEqual([
      1,
      `almanac: nothing was changed: ${file}x: there is no such file or folder.\n`,
    ]);
    const lost = path.join(folder, "no/folder.tar");
    expect(await run(here, "backup", lost)).toBe(1);
    expect(await readFailedCommand(database.db, new Date())).toMatchObject({ file: lost });
    expect(cli.err).toMatch(/^almanac: nothing was written: \S+draft: there is no such file or folder\.\n$/);
    expect(await run(here, "backup", file, "--force")).toBe(0);
    expect(await readFailedCommand(database.db, new Date())).toBeUndefined();
    expect(await run(here, "backup", "--verify", file)).toBe(0);
    expect(await readdir(folder)).toEqual(["a.tar"]);
    const wrong = new URL(database.url);
    wrong.password = "wrong";
    const refused = { ...here, DATABASE_URL: wrong.href };
    expect(await run(refused, "backup", path.join(folder, "b.tar"))).toBe(1);
    expect(cli.err).toMatch(
      /^almanac: nothing was written: The database refuses us: password authentication failed/,
    );
  });

  it("restores nothing when a file of the backup cannot be written, and leaves no draft", async () => {
    const file = await backUpWithFiles();

    const there = await dataDirectory();
    await writeFile(path.join(there, "secrets"), "no folder");
    expect(await run({ DATA_DIR: there }, "restore", file)).toBe(1);
    expect(cli.err).toMatch(/almanac: nothing was changed: \S+secrets: \S.+\.\n$/);
    expect((await readdir(there)).sort()).toEqual(["postgres", "secrets"]);
    await rm(path.join(there, "secrets"));
    await writeFile(path.join(there, "site.json"), "mine");
    await writeFile(path.join(there, "site.json.before-restore"), "older");
    expect([await run({ DATA_DIR: there }, "restore", file), cli.err]).toEqual([
      0,
      expect.stringContaining("the one before is"),
    ]);
    const read = (name: string) => readFile(path.join(there, name), "utf8");
    expect(
      await Promise.all(["", ".before-restore", ".before-restore-2"].map((end) => read(`site.json${end}`))),
    ).toEqual(['{"kinds": {}}', "older", "mine"]);
  });

  it("reports a file that could not be put in place after the database was restored", async () => {
    const file = await backUpWithFiles();

    const there = await dataDirectory();
    // The vocabulary goes where the folder of the secrets is.
    const settings = { DATA_DIR: there, SITE_SCHEMA: path.join(there, "secrets") };
    expect([await run(settings, "restore", file), cli.out]).toEqual([
      1,
      expect.stringMatching(/^Restored the site of/),
    ]);
    expect(cli.err).toMatch(
      /almanac: the database is restored, but \S+session-secret could not be written \(ENOTDIR: .+\); its content is in \S+draft\n$/,
    );
    expect(cli.err).not.toContain("nothing was changed");
  });

  it.each([
    [{ code: "ENOSPC", syscall: "write" }, "the file: the disk is full"],
    [{ code: "EACCES", syscall: "open", path: "/root/a.tar" }, "/root/a.tar: permission denied"],
    [{ code: "EISDIR", syscall: "read" }, "the file: it is a folder"],
  ])("says of the failure %j what it means", (failure, reason) => {
    expect(explainBackupFailure(Object.assign(new Error("failed"), failure))).toBe(reason);
  });

  it.each([
    [["backup"], "missing required argument 'file'"],
    [["backup", "a.tar", "--trial"], "--trial belongs to --verify"],
    [
      ["backup", "a.tar", "--verify", "--force"],
      "--verify only reads: it goes with neither --force nor --secrets",
    ],
    [["restore"], "missing required argument 'file'"],
  ])("refuses %j before anything is opened", async (args, reason) => {
    expect([await run({ PORT: "none" }, ...args), cli.err]).toEqual([2, expect.stringContaining(reason)]);
  });
});
