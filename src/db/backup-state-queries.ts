import { readdir } from "node:fs/promises";
import path from "node:path";
import type { Knex } from "knex";
import type { Db } from "./connect.ts";
import { selectRow, selectRows } from "./rows.ts";

/** The state of the site's own backups; times are ISO texts by the database's clock. */
export interface BackupState {
  readonly everyH: number;
  /** When the last one began. */
  readonly triedAt: string;
  readonly isRunning: boolean;
  /** When the last good one began, and its file. */
  readonly doneAt?: string;
  readonly file?: string;
  /** When and why one failed, if that was the last. */
  readonly failedAt?: string;
  readonly reason?: string;
}

/** The last backup by the command, if that failed. */
interface FailedCommand {
  readonly at: string;
  readonly file: string;
  readonly reason: string;
}

const KEY = "backup";
const COMMAND_KEY = "failed backup";
const HOUR_MS = 3_600_000;
/** Hours until the next attempt after a failure, and after a process that died. */
const AGAIN_H = { failed: 1, died: 6 } as const;
/** Operators see no reminder after this time, because by then they back up the site in another way. */
const REMINDED_MS = 30 * 24 * HOUR_MS;

/** The state of the site's own backups; undefined if it has never made one. */
export async function readBackupState(db: Db): Promise<BackupState | undefined> {
  const rows = await selectRows<{ value: BackupState }>(db, "select value from settings where key = ?", [
    KEY,
  ]);
  return rows[0]?.value;
}

/**
 * Distinguishes the site's backups from those of other sites in the same directory. A restore into the same database
 * keeps it; a copy in another database has another one.
 */
export async function readBackupOwner(db: Db): Promise<string> {
  const { owner } = await selectRow<{ owner: string }>(
    db,
    `select left(md5(system_identifier || ' ' || oid), 8) as owner from pg_control_system(), pg_database
      where datname = current_database()`,
  );
  return owner;
}

/** True if a backup is due. */
export function isBackupDue(state: BackupState | undefined, everyH: number, now: Date): boolean {
  if (!state) return true;
  const hours = state.isRunning ? AGAIN_H.died : state.failedAt === undefined ? everyH : AGAIN_H.failed;
  return now.getTime() >= Date.parse(state.triedAt) + hours * HOUR_MS;
}

/** Records the start of a backup, if one is due; only one of several concurrent callers gets true. */
export async function claimBackup(db: Knex, everyH: number): Promise<boolean> {
  return db.transaction(async (transaction) => {
    await transaction.raw("select pg_advisory_xact_lock(hashtext(?))", [`almanac ${KEY}`]);
    const state = await readBackupState(transaction);
    const { now } = await selectRow<{ now: Date }>(transaction, "select clock_timestamp() as now");
    if (!isBackupDue(state, everyH, now)) return false;
    const died = state?.isRunning ? { failedAt: state.triedAt, reason: "its process died" } : {};
    await write(transaction, KEY, { ...state, ...died, everyH, triedAt: now.toISOString(), isRunning: true });
    return true;
  });
}

/** The outcome of a backup: its file, its error, or that its process was stopped. */
type Outcome = { readonly file: string } | { readonly reason: string } | "stopped";

/** Records the outcome of the backup that has begun. A stopped one is due again at once. */
export async function noteBackup(db: Knex, outcome: Outcome): Promise<void> {
  await db.transaction(async (transaction) => {
    const state = await readBackupState(transaction);
    if (state) await write(transaction, KEY, withOutcome({ ...state, isRunning: false }, outcome));
  });
}

function withOutcome(state: BackupState, outcome: Outcome): BackupState {
  if (outcome === "stopped") return { ...state, triedAt: new Date(0).toISOString() };
  const { failedAt: _, reason: __, ...rest } = state;
  return "file" in outcome
    ? { ...rest, doneAt: state.triedAt, file: outcome.file }
    : { ...rest, failedAt: new Date().toISOString(), reason: outcome.reason };
}

/** Records why the command could not write a backup, or (undefined) that it could. */
export async function noteCommand(db: Db, failed: Omit<FailedCommand, "at"> | undefined): Promise<void> {
  if (failed) await write(db, COMMAND_KEY, { ...failed, at: new Date().toISOString() });
  else await db("settings").where({ key: COMMAND_KEY }).delete();
}

/** The last backup by the command, if that failed and is recent. */
export async function readFailedCommand(db: Db, now: Date): Promise<FailedCommand | undefined> {
  const found = await db<{ key: string; value: FailedCommand }>("settings")
    .where({ key: COMMAND_KEY })
    .first("value");
  return found && now.getTime() - Date.parse(found.value.at) <= REMINDED_MS ? found.value : undefined;
}

/** Removes the states, such as those that a backup holds: there the site's own backup is running. */
export async function forgetBackups(db: Db): Promise<void> {
  await db("settings").whereIn("key", [KEY, COMMAND_KEY]).delete();
}

async function write(db: Db, key: string, value: BackupState | FailedCommand): Promise<void> {
  await db("settings")
    .insert({ key, value: JSON.stringify(value), updated_at: db.fn.now() })
    .onConflict("key")
    .merge();
}

interface BackupTrouble {
  readonly what: "failed" | "old" | "missing";
  readonly at: Date;
  readonly reason?: string;
}

/** The problem with the site's own backups, and since when; undefined if all is well. */
export async function backupTrouble(
  state: BackupState | undefined,
  now: Date,
): Promise<BackupTrouble | undefined> {
  const lastSign = Math.max(...[state?.triedAt, state?.doneAt].map((at) => (at ? Date.parse(at) : 0)));
  if (!state || now.getTime() - lastSign > REMINDED_MS) return undefined;
  const { failedAt, reason = "" } = state;
  if (failedAt !== undefined) return { what: "failed", at: new Date(failedAt), reason };
  const last = new Date(state.doneAt ?? lastSign);
  if (now.getTime() - last.getTime() > 2 * state.everyH * HOUR_MS) return { what: "old", at: last };
  return (await isMissing(state.file)) ? { what: "missing", at: last } : undefined;
}

/** Checks whether the file is gone. If this process cannot read the directory, it assumes that the file is there. */
async function isMissing(file: string | undefined): Promise<boolean> {
  if (file === undefined) return false;
  const names = await readdir(path.dirname(file)).catch(() => undefined);
  return names !== undefined && !names.includes(path.basename(file));
}
