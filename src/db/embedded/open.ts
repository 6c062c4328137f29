import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { DatabaseSetupError, isDatabaseAway } from "../failures.ts";
import type { Binaries } from "./binaries.ts";
import { SUPERUSER } from "./cluster.ts";
import type { Identity } from "./identity.ts";
import { inspectHolder, readPostmasterFile } from "./postmaster.ts";
import { launchServer, type RunningServer, ServerEnded } from "./server.ts";
import { connectionUrl } from "./site-role.ts";

/** Everything needed to start the server of a directory. */
export interface Site {
  readonly directory: string;
  readonly binaries: Binaries;
  readonly identity: Identity;
  /** The superuser's. */
  readonly password: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
}

export interface OpenServer {
  readonly port: number;
  /** null: another process runs it. */
  readonly server: RunningServer | null;
}

/** How long another process may take to start or stop the server of this directory. */
const OTHERS_PATIENCE_MS = 60_000;
/** How long to wait for what passes by itself: last sessions of a killed server, a port just taken. */
const PATIENCE_MS = 5_000;

/**
 * Starts the server or finds the one that runs there. Of two processes at once, Postgres' lock file makes the second
 * fail; it then finds the server of the first.
 * @param fixedPort the only port to try; by default the last one, if it is free
 */
export async function openServer(site: Site, fixedPort?: number): Promise<OpenServer> {
  const started = Date.now();
  for (let port = fixedPort ?? (await usualPort(site.directory)); ; await delay(50)) {
    const waited = Date.now() - started;
    const found = await look(site, waited);
    if (found.kind === "running") return { port: found.port, server: null };
    if (found.kind === "wait") continue;
    try {
      return { port, server: await launchServer({ ...site, port, stranger: found.stranger }) };
    } catch (error) {
      if (!(error instanceof ServerEnded) || waited > PATIENCE_MS) throw error;
      if (/could not (bind|create any TCP)/.test(error.message)) port = fixedPort ?? (await freePort());
      else if (!/lock file|shared memory block/.test(error.message)) throw error;
    }
  }
}

type Finding = { kind: "running"; port: number } | { kind: "wait" } | { kind: "free"; stranger?: number };

/** Whether a server runs in the directory, starts or stops, or has left its lock file. */
async function look({ directory, password }: Site, waited: number): Promise<Finding> {
  const file = await readPostmasterFile(directory);
  if (!file) return { kind: "free" };
  const holder = await inspectHolder(file.pid, directory);
  const mayRun = holder === "server" || holder === "unknown";
  if (mayRun && file.ready && (await answers(password, file.port)))
    return { kind: "running", port: file.port };
  if (holder === "server") {
    if (waited < OTHERS_PATIENCE_MS) return { kind: "wait" };
    throw new DatabaseSetupError(
      `Another process (${file.pid}) has been starting or stopping the database in ${directory} for a minute. ` +
        "Wait for it or end it, then start again.",
    );
  }
  // For an unknown holder of the id, Postgres has to decide.
  return { kind: "free", stranger: holder === "stranger" || holder === "zombie" ? file.pid : undefined };
}

/** Also proves that the server on that port is this directory's, by its password. */
async function answers(password: string, port: number): Promise<boolean> {
  const connectionString = connectionUrl(SUPERUSER, password, port);
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: PATIENCE_MS });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return true;
  } catch (error) {
    if (isDatabaseAway(error)) return false;
    throw new DatabaseSetupError(`The database on port ${port} refuses us: ${(error as Error).message}`);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The port of the last start, from the command line that Postgres keeps, so that other users find the server again. */
async function usualPort(directory: string): Promise<number> {
  const commandLine = await readFile(path.join(directory, "postmaster.opts"), "utf8").catch(() => "");
  const last = /"-p" "(\d+)"/.exec(commandLine)?.[1];
  return last === undefined ? freePort() : Number(last);
}

/** A port that is free now; openServer tries again if it is taken meanwhile. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => probe.once("error", reject).listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("a TCP listener has no port");
  return address.port;
}
