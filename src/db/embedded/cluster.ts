import { randomBytes } from "node:crypto";
import { lchown, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { DatabaseSetupError } from "../failures.ts";
import type { Binaries } from "./binaries.ts";
import { createCluster, SUPERUSER_PASSWORD_FILE } from "./initdb.ts";
import { isAlive } from "./postmaster.ts";
import type { Identity } from "./program.ts";

/**
 * Makes sure that a directory holds a database of the binaries' version: makes it where there is none, refuses
 * what is something else. Safe when several processes do so at once, and when one is killed half-way: a new
 * database is made aside and appears under its name complete, or not at all.
 * @throws DatabaseSetupError
 */
export async function ensureCluster(
  directory: string,
  binaries: Binaries,
  identity: Identity,
  log: (line: string) => void,
): Promise<void> {
  await sweepLeftovers(directory);
  const version = await readVersion(directory);
  if (version === undefined) {
    log(`Making the database in ${directory}`);
    await makeCluster(directory, binaries, identity);
  } else if (version !== binaries.major) {
    throw new DatabaseSetupError(
      `The database in ${directory} was made by Postgres ${version}, and this is Postgres ${binaries.major}, ` +
        "which cannot read it. Either dump it with the old version and restore the dump into a new directory, " +
        "or set another DATA_DIR to start anew.",
    );
  }
  if (identity.kind === "account") await giveEverythingTo(identity.account, directory);
}

/** The superuser's password of a database that is there. */
export async function readPassword(directory: string): Promise<string> {
  const file = path.join(directory, SUPERUSER_PASSWORD_FILE);
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new DatabaseSetupError(
      `The password of the database cannot be read from ${file} (${code}). Restore that file, or start as the ` +
        "user who owns it, or set another DATA_DIR.",
    );
  }
}

/** Removes what killed processes have left of a database that they were making. */
async function sweepLeftovers(directory: string): Promise<void> {
  const parent = path.dirname(directory);
  const prefix = roomPrefix(directory);
  const names = await readdir(parent).catch(() => []);
  for (const name of names.filter((other) => other.startsWith(path.basename(prefix)))) {
    const room = path.join(parent, name);
    const pid = Number.parseInt(room.slice(prefix.length), 10);
    // Retried, because the killed process's initdb may still be writing for a moment.
    if (await isLeftover(room, pid)) await rm(room, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** In a container our own process id is often that of the process that was killed: then the time decides. */
async function isLeftover(room: string, pid: number): Promise<boolean> {
  if (pid !== process.pid) return !isAlive(pid);
  const { mtimeMs } = await stat(room);
  return mtimeMs < performance.timeOrigin;
}

/** The major version of the database in a directory; undefined if it is missing or empty. */
async function readVersion(directory: string): Promise<number | undefined> {
  const files = await readdir(directory).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  if (files.length === 0) return undefined;
  if (files.includes("PG_VERSION")) return Number(await readFile(path.join(directory, "PG_VERSION"), "utf8"));
  throw new DatabaseSetupError(
    `${directory} holds other files and no database. Move them away, or set another DATA_DIR.`,
  );
}

async function makeCluster(directory: string, binaries: Binaries, identity: Identity): Promise<void> {
  const parent = path.dirname(directory);
  await mkdir(parent, { recursive: true });
  const room = `${roomPrefix(directory)}${process.pid}-${randomBytes(4).toString("hex")}`;
  try {
    await mkdir(room, { mode: 0o700 });
    await putInPlace(await createCluster(room, binaries, identity), directory);
  } finally {
    await rm(room, { recursive: true, force: true });
  }
}

function roomPrefix(directory: string): string {
  return `${directory}.init-`;
}

/** Renaming onto a directory fails unless that is empty: of two that start at once, the first wins. */
async function putInPlace(draft: string, directory: string): Promise<void> {
  try {
    await rename(draft, directory);
    await syncDirectory(path.dirname(directory));
  } catch (error) {
    // Another process was first (its database is used), or somebody put files there (readVersion says so).
    if ((await readVersion(directory)) === undefined) throw error;
  }
}

/** So that the new name survives a power cut; Windows has no such call. */
async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(directory);
  await handle.sync().finally(() => handle.close());
}

/** A database that root made in a user namespace is root's; where that is not allowed any more, it moves on. */
async function giveEverythingTo(account: { uid: number; gid: number }, directory: string): Promise<void> {
  if ((await stat(directory)).uid === account.uid) return;
  for (const name of await readdir(directory, { recursive: true })) {
    await lchown(path.join(directory, name), account.uid, account.gid);
  }
  // Last, so that a run that is interrupted is repeated.
  await lchown(directory, account.uid, account.gid);
}
