import { mkdir, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { DatabaseSetupError, isDatabaseAway, NoEmbeddedPostgresError } from "../failures.ts";
import type { Binaries } from "./binaries.ts";
import { findPackage, prepareBinaries } from "./binaries.ts";
import { ensureCluster, readPassword, SUPERUSER } from "./cluster.ts";
import type { Identity } from "./identity.ts";
import { chooseIdentity, gatherFacts, runProgram } from "./identity.ts";
import { type Holder, inspectHolder, readPostmasterFile } from "./postmaster.ts";
import { launchServer, type RunningServer, ServerEnded } from "./server.ts";
import { connectionUrl, prepareSiteRole } from "./site-role.ts";

export interface EmbeddedPostgresOptions {
  /** Created if missing, from a draft in its parent. */
  readonly directory: string;
  /** Gets lines about progress for an operator. */
  readonly log: (line: string) => void;
  /** Server settings for this run, such as `fsync=off` in tests. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The npm package with the programs; by default the one for this platform. */
  readonly packageRoot?: string;
  /** Whether to restart the server when the process that runs it ends: for a site, not for a command beside it. */
  readonly keepsRunning?: boolean | undefined;
}

export interface EmbeddedPostgres {
  /** The URL with the password. Its role owns the database and is no superuser. */
  readonly url: string;
  /** True if another process runs the server. */
  readonly adopted: boolean;
  /** Stops the server if it is ours; call it after the pools are closed. */
  stop(): Promise<void>;
}

/**
 * Starts the embedded Postgres of a directory, or joins the running one, as `almanac import` beside a site does.
 *
 * The process that started the server stops it, even after a kill -9. Others get connection errors (`isDatabaseAway`,
 * so 503) until it is back, on the same port unless that is taken. The process that started a server restarts it if it
 * ends by itself. With `keepsRunning`, a process also restarts the server of another one.
 * Containers and machines must not share a directory: neither sees the other's processes, so each would consider the
 * other's server dead.
 * @throws DatabaseSetupError with one line that says what an operator can do
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const directory = path.resolve(options.directory);
  try {
    const site = await prepareSite(directory, options);
    const { port, server } = await openServer(site);
    const url = await prepareSiteRole(directory, site.password, port).catch(async (error: unknown) => {
      await server?.stop();
      throw error;
    });
    return {
      url,
      adopted: server === null,
      stop: server || options.keepsRunning ? keepRunning(site, port, server) : async () => undefined,
    };
  } catch (error) {
    throw explain(error, directory);
  }
}

/** The connection URL of the server that runs in a directory; null without one. */
export async function findEmbeddedPostgres(directory: string): Promise<string | null> {
  const file = await readPostmasterFile(directory);
  if (!file?.ready || !mayBeServer(await inspectHolder(file.pid, directory))) return null;
  return prepareSiteRole(directory, await readPassword(directory), file.port);
}

async function prepareSite(directory: string, options: EmbeddedPostgresOptions): Promise<ServerSetup> {
  const binaries = await prepareBinaries(options.packageRoot ?? findPackage());
  await mkdir(path.dirname(directory), { recursive: true });
  const identity = await chooseIdentity(await gatherFacts(directory, binaries.postgres));
  await assertMayConnect(identity, binaries.postgres, path.dirname(directory));
  await ensureCluster(directory, binaries, identity, options.log);
  const password = await readPassword(directory);
  return { directory, binaries, identity, password, settings: options.settings ?? {}, log: options.log };
}

/** Checks that another user may run the programs and enter the data's folder, which may be below /root. */
async function assertMayConnect(identity: Identity, program: string, parent: string): Promise<void> {
  if (identity.kind !== "account") return;
  const { ok } = await runProgram(identity, "/bin/sh", [
    "-c",
    'test -x "$0" && test -x "$1"',
    program,
    parent,
  ]);
  if (ok) return;
  throw new NoEmbeddedPostgresError(
    `Postgres does not run as root, and the user ${identity.account.uid}, who would run it instead, may not enter ` +
      `${parent} or run ${program}. Start the site as an ordinary user, or move it out of /root, or set DATABASE_URL.`,
  );
}

/** Converts errors of the file system and of Postgres to one line for an operator; others are bugs. */
function explain(error: unknown, directory: string): unknown {
  if (error instanceof ServerEnded) {
    return new DatabaseSetupError(`The database in ${directory} does not start: ${error.reason}`, {
      cause: error,
    });
  }
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return error;
  const way = code === "ENOSPC" || code === "EDQUOT" ? "Make room there" : "Let this user write there";
  return new DatabaseSetupError(
    `The database cannot be kept in ${directory}: ${message}. ${way}, or set another DATA_DIR.`,
    { cause: error },
  );
}

const LONGEST_PAUSE_MS = 30_000;

/**
 * Restarts a server that ends, on the same port; returns a function that stops it for good.
 * @param first null if another process runs it
 */
function keepRunning(site: ServerSetup, port: number, first: RunningServer | null): () => Promise<void> {
  const stopping = new AbortController();
  let current = first;
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      await (current ? current.ended : othersEnd(site.directory, stopping.signal));
      if (!stopping.signal.aborted) current = await startAgain(site, port, stopping.signal);
    }
    await current?.stop();
  })();
  return async () => {
    stopping.abort();
    await current?.stop();
    await watching;
  };
}

const WATCH_EVERY_MS = 500;

/** Waits for the end of a server that another process runs. */
async function othersEnd(directory: string, stopping: AbortSignal): Promise<void> {
  const runs = async () => {
    const file = await readPostmasterFile(directory);
    return file !== null && mayBeServer(await inspectHolder(file.pid, directory));
  };
  // If the file cannot be read, the server may still run.
  while (!stopping.aborted && (await runs().catch(() => true)))
    await delay(WATCH_EVERY_MS, undefined, { ref: false, signal: stopping }).catch(() => undefined);
}

/** Null if another process has started it meanwhile, or when stopping. */
async function startAgain(
  site: ServerSetup,
  port: number,
  stopping: AbortSignal,
): Promise<RunningServer | null> {
  site.log("The database has ended; starting it again");
  for (let pause = 500; !stopping.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      const { server } = await openServer(site, port);
      site.log("The database is back");
      return server;
    } catch (error) {
      site.log(`${(error as Error).message}; next try in ${pause / 1000} s`);
      await delay(pause, undefined, { ref: false, signal: stopping }).catch(() => undefined);
    }
  }
  return null;
}

/** Everything needed to start the server of a directory. */
interface ServerSetup {
  readonly directory: string;
  readonly binaries: Binaries;
  readonly identity: Identity;
  /** The superuser's password. */
  readonly password: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
}

interface OpenServer {
  readonly port: number;
  /** Null if another process runs it. */
  readonly server: RunningServer | null;
}

/** How long another process may take to start or stop the server of this directory. */
const OTHERS_PATIENCE_MS = 60_000;
/** How long to wait for temporary obstacles: last sessions of a killed server, a port just taken. */
const PATIENCE_MS = 5_000;

/**
 * Starts the server or finds the running one. If two processes start at once, Postgres' lock file makes the second
 * fail; it then finds the server of the first.
 * @param fixedPort the only port to try; by default the last one, if it is free
 */
export async function openServer(site: ServerSetup, fixedPort?: number): Promise<OpenServer> {
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

const mayBeServer = (holder: Holder) => holder === "server" || holder === "unknown";

/** Whether a server in the directory runs, starts or stops, or has left its lock file. */
async function look({ directory, password }: ServerSetup, waited: number): Promise<Finding> {
  const file = await readPostmasterFile(directory);
  if (!file) return { kind: "free" };
  const holder = await inspectHolder(file.pid, directory);
  if (file.ready && mayBeServer(holder) && (await answers(password, file.port)))
    return { kind: "running", port: file.port };
  if (holder === "server") {
    if (waited < OTHERS_PATIENCE_MS) return { kind: "wait" };
    throw new DatabaseSetupError(
      `Another process (${file.pid}) has been starting or stopping the database in ${directory} for a minute. ` +
        "Wait for it or end it, then start again.",
    );
  }
  // If the holder of the id is unknown, Postgres has to decide.
  return { kind: "free", stranger: holder === "stranger" || holder === "zombie" ? file.pid : undefined };
}

/** Also proves by the password that the server on that port is this directory's. */
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

/**
 * The port of the last start, from the command line that Postgres stores, so that other users find the server again.
 */
async function usualPort(directory: string): Promise<number> {
  const commandLine = await readFile(path.join(directory, "postmaster.opts"), "utf8").catch(() => "");
  const last = /"-p" "(\d+)"/.exec(commandLine)?.[1];
  return last === undefined ? freePort() : Number(last);
}

/** A port that is free now; openServer retries if it is taken meanwhile. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => probe.once("error", reject).listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("a TCP listener has no port");
  return address.port;
}
