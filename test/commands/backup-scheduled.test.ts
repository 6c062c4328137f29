import { mkdir, readdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { pino } from "pino";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { checkBackup } from "../../src/commands/backup/read-backup.ts";
import { backUpIfDue, type ScheduledBackups } from "../../src/commands/backup/scheduled.ts";
import { checkBackups } from "../../src/commands/status/checks.ts";
import {
  type BackupState,
  backupTrouble,
  claimBackup,
  isBackupDue,
  noteCommand,
  readBackupOwner,
  readBackupState,
  readFailedCommand,
} from "../../src/db/backup-state-queries.ts";
import { useTestApp } from "../helpers/app.ts";
import { makePlaces } from "../helpers/full-site.ts";
import { elements, textOf } from "../helpers/html.ts";

const site = useTestApp();
const HOUR_MS = 3_600_000;

beforeEach(() => site.db("settings").where({ key: "backup" }).delete());

async function schedule(wanted: Partial<ScheduledBackups["schedule"]> = {}): Promise<ScheduledBackups> {
  const { folder, site: places } = await makePlaces();
  const directory = path.join(folder, "backups");
  return {
    site: places,
    schedule: { directory, everyH: 24, kept: 2, secrets: false, trial: false, ...wanted },
  };
}

/** What one look of a process for a backup does, and what it logs. */
async function look(
  backups: ScheduledBackups,
  signal = new AbortController().signal,
): Promise<{ file: string | undefined; logged: string }> {
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
  const file = await backUpIfDue(site.db, backups, { log, signal });
  return { file, logged: lines.join("") };
}

/** As if the last backup had been begun that much earlier. */
async function passHours(hours: number): Promise<void> {
  const state = (await readBackupState(site.db)) as BackupState;
  const earlier = (at: string | undefined) => at && new Date(Date.parse(at) - hours * HOUR_MS).toISOString();
  const value = {
    ...state,
    triedAt: earlier(state.triedAt),
    doneAt: earlier(state.doneAt),
    failedAt: earlier(state.failedAt),
  };
  await site
    .db("settings")
    .where({ key: "backup" })
    .update({ value: JSON.stringify(value) });
}

describe("backups by schedule", () => {
  it("are written by one of several processes, and again after the interval", async () => {
    const backups = await schedule();
    const files = (await Promise.all([look(backups), look(backups), look(backups)])).map(({ file }) => file);
    const [written = "", ...more] = files.filter((file) => file !== undefined);
    expect(more).toEqual([]);
    expect(written).toMatch(/backups\/almanac-[0-9a-f]{8}-\d{8}T\d{6}Z\.tar$/);
    expect((await checkBackup(written)).header.tables.length).toBeGreaterThan(40);
    await passHours(23);
    expect((await look(backups)).file).toBeUndefined();
    await passHours(1);
    expect((await look(backups)).file).toBeDefined();
  });

  it("are kept in number, without what killed processes left; files of other sites stay", async () => {
    const backups = await schedule({ kept: 2 });
    const { directory } = backups.schedule;
    await mkdir(directory);
    const own = `almanac-${await readBackupOwner(site.db)}`;
    const others = [
      ...["almanac-0-20260101T000000Z.tar", "almanac-0-20260101T000000Z.tar.0123abcd.draft"],
      ...["almanac-20260101T000000Z.tar", "mine.tar"],
    ];
    const old = [`${own}-20260101T000000Z.tar`, `${own}-20260101T000000Z.tar.0123abcd.draft`];
    const kept = [`${own}-20260102T000000Z.tar`, ...others];
    for (const name of [...old, ...kept]) await writeFile(path.join(directory, name), "");
    const { file = "" } = await look(backups);
    expect((await readdir(directory)).sort()).toEqual([path.basename(file), ...kept].sort());
  });

  it("are restored on trial", async () => {
    const { file, logged } = await look(await schedule({ trial: true }));
    expect(file).toBeDefined();
    expect(logged).not.toContain('"level":50');
  });

  it("fail when their trial cannot begin, and then remove none", async () => {
    const backups = await schedule({ kept: 1, trial: true });
    const { directory } = backups.schedule;
    await mkdir(directory);
    const good = `almanac-${await readBackupOwner(site.db)}-20260101T000000Z.tar`;
    await writeFile(path.join(directory, good), "");
    await mkdir(path.join(backups.site.dataDir, "backup-trial"), { recursive: true });
    await writeFile(path.join(backups.site.dataDir, "backup-trial/mine"), "");
    const { file, logged } = await look(backups);
    expect(file).toBeUndefined();
    expect(JSON.parse(logged)).toMatchObject({ level: 50, reason: expect.stringContaining("backup-trial") });
    expect(await readdir(directory)).toEqual([good]);
  });

  it("need no trial on a machine without an embedded Postgres", async () => {
    const { arch } = process;
    Object.defineProperty(process, "arch", { value: "mips" });
    onTestFinished(() => void Object.defineProperty(process, "arch", { value: arch }));
    const { file, logged } = await look(await schedule({ trial: true }));
    expect(file).toBeDefined();
    expect(logged).toContain("the backup was checked but not restored on trial");
  });

  it("that fail are logged, noted, tried again after an hour, and never take the place of good ones", async () => {
    const backups = await schedule({ kept: 1 });
    const { file: good = "" } = await look(backups);
    const before = await readFile(good);
    await passHours(24);
    const blocked = path.join(backups.site.dataDir, "blocked");
    await mkdir(backups.site.dataDir, { recursive: true });
    await writeFile(blocked, "");
    const bad = { ...backups, schedule: { ...backups.schedule, directory: path.join(blocked, "in") } };
    const { file, logged } = await look(bad);
    expect(file).toBeUndefined();
    expect(JSON.parse(logged)).toMatchObject({
      level: 50,
      msg: "the backup failed",
      reason: expect.stringContaining("a part of the path is no folder"),
    });
    expect(await readBackupState(site.db)).toMatchObject({
      file: good,
      isRunning: false,
      failedAt: expect.any(String),
    });
    expect(await readFile(good)).toEqual(before);
    expect((await look(backups)).file).toBeUndefined();
    await passHours(1);
    expect((await look(backups)).file).toBeDefined();
    expect(await readBackupState(site.db)).not.toHaveProperty("failedAt");
  });
});

describe("a backup whose process is stopped", () => {
  it("is no failure, leaves nothing behind, and is begun again by the next process", async () => {
    const backups = await schedule();
    expect(await look(backups, AbortSignal.abort())).toEqual({ file: undefined, logged: "" });
    expect(await readdir(backups.schedule.directory)).toEqual([]);
    expect(await backupTrouble(await readBackupState(site.db), new Date())).toBeUndefined();
    expect((await look(backups)).file).toBeDefined();
  });
});

describe("when a backup is due", () => {
  const at = new Date("2026-11-25T12:00:00Z");
  const hoursAgo = (hours: number) => new Date(at.getTime() - hours * HOUR_MS).toISOString();
  const state = { everyH: 24, isRunning: false };

  it.each([
    [undefined, true],
    [{ ...state, triedAt: hoursAgo(23.9) }, false],
    [{ ...state, triedAt: hoursAgo(24) }, true],
    [{ ...state, triedAt: hoursAgo(0.9), failedAt: hoursAgo(0.9) }, false],
    [{ ...state, triedAt: hoursAgo(1), failedAt: hoursAgo(1) }, true],
    [{ ...state, triedAt: hoursAgo(5), isRunning: true }, false],
    [{ ...state, triedAt: hoursAgo(6), isRunning: true }, true],
  ])("%j: %s", (known, isDue) => {
    expect(isBackupDue(known, 24, at)).toBe(isDue);
  });

  it.each([
    [undefined, undefined],
    [{ ...state, triedAt: hoursAgo(47), doneAt: hoursAgo(47) }, undefined],
    [{ ...state, triedAt: hoursAgo(49), doneAt: hoursAgo(49) }, "old"],
    [{ ...state, triedAt: hoursAgo(1), doneAt: hoursAgo(25), failedAt: hoursAgo(1) }, "failed"],
    [{ ...state, triedAt: hoursAgo(31 * 24), doneAt: hoursAgo(31 * 24) }, undefined],
  ])("the operator hears of %j: %s", async (known, what) => {
    expect((await backupTrouble(known, at))?.what).toBe(what);
  });
});

describe("the operators' page", () => {
  async function page(): Promise<string> {
    const { agent } = await site.logIn(await site.createUser({ role: "operator" }));
    const { text } = await agent.get("/operator").expect(200);
    return textOf(elements(text, "main")[0] ?? "");
  }

  it("says that each backup so far died with its process", async () => {
    const backups = await schedule();
    for (const _ of [1, 2]) {
      await claimBackup(site.db, 24);
      await passHours(6);
    }
    await claimBackup(site.db, 24);
    expect(await page()).toContain("): its process died.");
    await passHours(6);
    expect((await look(backups)).file).toBeDefined();
    expect(await page()).not.toContain("its process died");
  });

  it("says that the file of the last backup is missing", async () => {
    const { file = "" } = await look(await schedule());
    expect(await page()).not.toContain("is missing");
    await rm(file);
    expect(await page()).toMatch(new RegExp(`The last scheduled backup \\(.+\\) is missing: ${file}`));
  });

  it("says why the last backup by the command failed, until one is written", async () => {
    await noteCommand(site.db, { file: "/backups/site.tar", reason: "the disk is full" });
    expect(await page()).toMatch(
      /The last backup by command, to \/backups\/site.tar, failed \(.+\): the disk is full\./,
    );
    expect(await checkBackups(site.db)).toContainEqual([
      "warn",
      expect.stringMatching(/^the last backup by command, to \S+, failed \d+ s ago: the disk is full$/),
    ]);
    const later = new Date(Date.now() + 31 * 24 * HOUR_MS);
    expect(await readFailedCommand(site.db, later)).toBeUndefined();
    await noteCommand(site.db, undefined);
    expect(await page()).not.toContain("by command");
  });
});

describe("the command status", () => {
  it("reports the last backup", async () => {
    expect(await checkBackups(site.db)).toEqual([
      ["ok", "no backup has been written by schedule (BACKUP_DIR)"],
    ]);
    const { file } = await look(await schedule());
    expect(await checkBackups(site.db)).toEqual([
      ["ok", expect.stringMatching(/^the last scheduled backup is \d+ s old: /)],
    ]);
    await rm(String(file));
    expect(await checkBackups(site.db)).toEqual([["warn", `the last scheduled backup is missing: ${file}`]]);
    await rmdir(path.dirname(String(file)));
    expect(await checkBackups(site.db)).toEqual([["ok", expect.any(String)]]);
    await passHours(72);
    expect(await checkBackups(site.db)).toEqual([["warn", "the last good backup is 3 d old"]]);
    const failing = await schedule();
    await writeFile(failing.schedule.directory, "");
    await look(failing);
    const reason = /^the last scheduled backup failed \d+ s ago: \S+backups\S*: /;
    expect(await checkBackups(site.db)).toEqual([["warn", expect.stringMatching(reason)]]);
  });
});
