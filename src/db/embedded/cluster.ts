import { randomBytes } from "node:crypto";
import { chown, lchown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { syncFolder } from "../../settings/sync-folder.ts";
import { DatabaseSetupError } from "../failures.ts";
import type { Binaries } from "./binaries.ts";
import type { Identity } from "./identity.ts";
import { runProgram } from "./identity.ts";
import { isAlive } from "./postmaster.ts";
import { finishSuccession } from "./successor.ts";

/**
 * Creates the database of a directory if it is missing. Safe for several processes at once, and if one is killed,
 * because it creates a new database elsewhere and then renames it.
 * @throws DatabaseSetupError for other content, or a database of another version
 */
export async function ensureCluster(
  directory: string,
  binaries: Binaries,
  identity: Identity,
  log: (line: string) => void,
): Promise<void> {
  await sweepLeftovers(directory);
  const version = await findVersion(directory);
  if (version === undefined) {
    log(`Making the database in ${directory}`);
    await makeCluster(directory, binaries, identity);
  } else if (version !== binaries.major) {
    throw new DatabaseSetupError(
      `The database in ${directory} was made by Postgres ${version}, and this is Postgres ${binaries.major}, ` +
        'which cannot read it. Run "npm run -s almanac -- upgrade-postgres", or set another DATA_DIR to start anew.',
    );
  }
  if (identity.kind === "account") await giveEverythingTo(identity.account, directory);
}

/** The superuser's password of an existing database. */
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

/** Removes unfinished databases of killed processes. */
async function sweepLeftovers(directory: string): Promise<void> {
  const parent = path.dirname(directory);
  const prefix = roomPrefix(directory);
  const names = await readdir(parent).catch(() => []);
  for (const name of names.filter((other) => other.startsWith(path.basename(prefix)))) {
    const room = path.join(parent, name);
    const pid = Number.parseInt(room.slice(prefix.length), 10);
    // With retries, because the killed process's initdb may still write.
    if (await isLeftover(room, pid)) await rm(room, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** In a container a killed process often had our own id. Then the time decides. */
async function isLeftover(room: string, pid: number): Promise<boolean> {
  if (pid !== process.pid) return !isAlive(pid);
  const { mtimeMs } = await stat(room);
  return mtimeMs < performance.timeOrigin;
}

/** The major version of the database in a directory, or undefined. First completes an interrupted upgrade. */
export async function findVersion(directory: string): Promise<number | undefined> {
  const version = await readVersion(directory);
  return version === undefined && (await finishSuccession(directory)) ? readVersion(directory) : version;
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

/** Renaming to a directory fails unless it is empty, so the first of two processes wins. */
async function putInPlace(draft: string, directory: string): Promise<void> {
  try {
    await rename(draft, directory);
    await syncFolder(path.dirname(directory));
  } catch (error) {
    // Another process was first, or other files exist, which readVersion refuses.
    if ((await readVersion(directory)) === undefined) throw error;
  }
}

/**
 * Changes the owner of a database. Root owns one that it created in a user namespace, but namespaces may be forbidden
 * later.
 */
export async function giveEverythingTo(
  account: { uid: number; gid: number },
  directory: string,
): Promise<void> {
  if ((await stat(directory)).uid === account.uid) return;
  for (const name of await readdir(directory, { recursive: true })) {
    await lchown(path.join(directory, name), account.uid, account.gid);
  }
  // Last, so that an interrupted run is repeated.
  await lchown(directory, account.uid, account.gid);
}

/** The superuser. The site itself uses another role (site-role.ts). */
export const SUPERUSER = "almanac";

/** Its password, in the database's directory, readable by its owner only. */
export const SUPERUSER_PASSWORD_FILE = "almanac.password";

/**
 * Written into postgresql.conf once; an operator may change them there. They suit a machine of 512 MB, because the
 * kernel caches files, too.
 */
const INITIAL_SETTINGS = {
  max_connections: "60",
  shared_buffers: "32MB",
  max_logical_replication_workers: "0",
  autovacuum_max_workers: "2",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off",
  log_min_messages: "warning",
};

/**
 * The builtin C.UTF-8 sorts by code point, knows every script, and is the same on each platform. The extension pg_trgm
 * uses libc's ctype, which with C finds no trigrams outside ASCII. Without C.UTF-8 in libc, any UTF-8 ctype will do.
 * https://www.postgresql.org/docs/18/locale.html#LOCALE-PROVIDERS
 */
const LOCALE = ["-E", "UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"];
const CTYPES = ["C.UTF-8", "en_US.UTF-8", "C"];

/**
 * Creates a database with a random password inside an empty directory and returns its path.
 * @throws DatabaseSetupError with initdb's reason, such as a full disk
 */
async function createCluster(room: string, binaries: Binaries, identity: Identity): Promise<string> {
  const draft = path.join(room, "cluster");
  const passwordFile = path.join(room, SUPERUSER_PASSWORD_FILE);
  await writeFile(passwordFile, `${randomBytes(24).toString("hex")}\n`, { mode: 0o600 });
  if (identity.kind === "account") {
    const { uid, gid } = identity.account;
    await chown(room, uid, gid);
    await chown(passwordFile, uid, gid);
  }
  await runInitdb(draft, passwordFile, binaries, identity);
  await rename(passwordFile, path.join(draft, SUPERUSER_PASSWORD_FILE));
  return draft;
}

async function runInitdb(
  draft: string,
  passwordFile: string,
  binaries: Binaries,
  identity: Identity,
): Promise<void> {
  // Since version 18 three processes wait for reads, which the kernel's cache serves at once.
  const initial = { ...INITIAL_SETTINGS, ...(binaries.major >= 18 && { io_method: "sync" }) };
  const settings = Object.entries(initial).map(([name, value]) => `--set=${name}=${value}`);
  const access = ["-U", SUPERUSER, "-A", "scram-sha-256", `--pwfile=${passwordFile}`];
  let output = "";
  for (const ctype of CTYPES) {
    const args = ["-D", draft, ...access, ...LOCALE, `--lc-ctype=${ctype}`, ...settings];
    const result = await runProgram(identity, binaries.initdb, args);
    if (result.ok) return;
    output = result.output;
    if (!output.includes("invalid locale name")) break;
    await rm(draft, { recursive: true, force: true });
  }
  throw new DatabaseSetupError(
    `The database could not be made in ${path.dirname(path.dirname(draft))}: ${lastError(output)}`,
  );
}

/** The lines of initdb's output that give the reason, without its progress. */
function lastError(output: string): string {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const reasons = lines.filter((line) => /error|fatal|not found|denied/i.test(line));
  return (
    reasons.map((line) => line.replace(/^.*\b(?:FATAL|PANIC): +/, "")).join("; ") ||
    (lines.at(-1) ?? "initdb gave no reason")
  );
}
