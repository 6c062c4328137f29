import { chown, open, readFile, stat, statfs, truncate } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import type { Identity } from "./identity.ts";

const LOG_FILE = "server.log";

/** How much of the old log is kept beside it. */
const KEPT_BYTES = 10 * 1024 * 1024;

/** The size at which the log is set aside; half, to leave room for what is written between two looks. */
const LONG_BYTES = KEPT_BYTES / 2;

const LOOK_EVERY_MS = 1_000;

/** Opens the log to append to; `size` is its size now. The caller closes the handle. */
export async function openLog(directory: string, identity: Identity) {
  const name = path.join(directory, LOG_FILE);
  await setAsideIfLong(name);
  const handle = await open(name, "a", 0o600);
  if (identity.kind === "account") await chown(name, identity.account.uid, identity.account.gid);
  return { handle, size: (await handle.stat()).size };
}

/** Keeps the log of a running server below two files of 10 MB; returns a function that ends it. */
export function keepLogShort(directory: string, log: (line: string) => void): () => void {
  const name = path.join(directory, LOG_FILE);
  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking
      .then(() => setAsideIfLong(name))
      .catch((error: Error) => log(`The database's log could not be set aside: ${error.message}`));
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Copies and truncates the log, because the server keeps the file open for appending. Postgres' own collector rotates
 * by the clock only, or takes another name each time.
 */
async function setAsideIfLong(name: string): Promise<void> {
  const old = await stat(name).catch(() => undefined);
  if (!old || old.size <= LONG_BYTES) return;
  try {
    await copyEnd(name, `${name}.old`);
    if (process.getuid?.() === 0) await chown(`${name}.old`, old.uid, old.gid);
  } finally {
    // Even without room for a copy: a full disk ends the database.
    await truncate(name);
  }
}

async function copyEnd(from: string, to: string): Promise<void> {
  const [source, target] = [await open(from, "r"), await open(to, "w", 0o600)];
  try {
    const { size } = await source.stat();
    // May read beyond `size`, what is written meanwhile.
    const start = Math.max(0, size - KEPT_BYTES);
    await pipeline(
      source.createReadStream({ start, end: start + KEPT_BYTES - 1 }),
      target.createWriteStream(),
    );
  } finally {
    await source.close();
    await target.close();
  }
}

/** What the server logged since a position, without time stamps, as one line. */
export async function readReason(directory: string, from: number): Promise<string> {
  // The log has no room for the reason either.
  if ((await statfs(directory)).bavail === 0) return "no space is left on its disk";
  const written = (await readFile(path.join(directory, LOG_FILE))).subarray(from).toString("utf8");
  const lines = written.split("\n").map((line) => line.replace(/^\d{4}-\S+ \S+ \S+ \[\d+\] /, "").trim());
  const telling = lines.filter(
    (line) => line !== "" && !/^LOG: +(starting|database system|listening)/.test(line),
  );
  return telling.slice(-6).join("; ") || "it wrote no reason";
}
