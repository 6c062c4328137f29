import { randomBytes } from "node:crypto";
import { chown, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { DatabaseSetupError } from "../failures.ts";
import type { Binaries } from "./binaries.ts";
import type { Identity } from "./program.ts";
import { runProgram } from "./program.ts";

/** The superuser, by whom a cluster is made; the site works as another role (site-role.ts). */
export const SUPERUSER = "almanac";

/** Its password, kept inside the database's directory, readable by its owner only: for upkeep. */
export const SUPERUSER_PASSWORD_FILE = "almanac.password";

/** Written into postgresql.conf once, where an operator may change them. */
const INITIAL_SETTINGS = {
  max_connections: "60",
  shared_buffers: "128MB",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off",
  log_min_messages: "warning",
};

/**
 * With the builtin provider, C.UTF-8 sorts by code point and knows the letters of every script, on each platform
 * alike; as lc_ctype it is libc's, and pg_trgm goes by that: with ctype C it finds no trigrams outside ASCII. Where
 * libc lacks it, any UTF-8 ctype serves.
 * https://www.postgresql.org/docs/18/locale.html#LOCALE-PROVIDERS
 */
const LOCALE = ["-E", "UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"];
const CTYPES = ["C.UTF-8", "en_US.UTF-8", "C"];

/**
 * Makes a database with a random password inside an empty directory and returns its path.
 * @throws DatabaseSetupError with initdb's reason, such as a full disk
 */
export async function createCluster(room: string, binaries: Binaries, identity: Identity): Promise<string> {
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
  const settings = Object.entries(INITIAL_SETTINGS).map(([name, value]) => `--set=${name}=${value}`);
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
    `The database could not be made in ${path.dirname(draft)}: ${lastError(output)}`,
  );
}

/** The lines that say why, of the many that initdb prints. */
function lastError(output: string): string {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const reasons = lines.filter((line) => /error|fatal|not found|denied/i.test(line));
  return reasons.join("; ") || (lines.at(-1) ?? "initdb gave no reason");
}
