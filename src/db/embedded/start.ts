import { mkdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { DatabaseSetupError } from "../failures.ts";
import { findPackage, prepareBinaries } from "./binaries.ts";
import { ensureCluster, readPassword } from "./cluster.ts";
import type { Identity } from "./identity.ts";
import { chooseIdentity, gatherFacts, runProgram } from "./identity.ts";
import { openServer, type Site } from "./open.ts";
import { inspectHolder, readPostmasterFile } from "./postmaster.ts";
import type { RunningServer } from "./server.ts";
import { ServerEnded } from "./server.ts";
import { prepareSiteRole } from "./site-role.ts";

export interface EmbeddedPostgresOptions {
  /** Made when it is missing, by way of a draft in its parent. */
  readonly directory: string;
  /** Gets lines about progress for an operator. */
  readonly log: (line: string) => void;
  /** Server settings for this run, such as `fsync=off` in tests. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The npm package with the programs; by default the one for this platform. */
  readonly packageRoot?: string;
}

export interface EmbeddedPostgres {
  /** With the password. Its role owns the database and is no superuser. */
  readonly url: string;
  /** True where another process runs the server. */
  readonly adopted: boolean;
  /** Stops the server if it is ours; call it after the pools are closed. */
  stop(): Promise<void>;
}

/**
 * Starts the embedded Postgres of a directory, or joins the one that runs there, as `almanac import` beside a site.
 *
 * The process that started the server stops it, even when it is killed by -9; others get connection errors
 * (`isDatabaseAway`, so 503) until it is back, on the same port unless that is taken. A server that ends by itself is
 * started again. Containers and machines must not share a directory: neither sees the other's processes, so each would
 * take the other's server for dead.
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
    options.log(
      server ? `Database started on port ${port}` : `Using the database of the process on port ${port}`,
    );
    return {
      url,
      adopted: server === null,
      stop: server ? keepRunning(site, server) : async () => undefined,
    };
  } catch (error) {
    throw explain(error, directory);
  }
}

/** The connection URL of the server that runs in a directory; null where none does. */
export async function findEmbeddedPostgres(directory: string): Promise<string | null> {
  const file = await readPostmasterFile(directory);
  if (!file?.ready || !["server", "unknown"].includes(await inspectHolder(file.pid, directory))) return null;
  return prepareSiteRole(directory, await readPassword(directory), file.port);
}

async function prepareSite(directory: string, options: EmbeddedPostgresOptions): Promise<Site> {
  const binaries = await prepareBinaries(options.packageRoot ?? findPackage());
  await mkdir(path.dirname(directory), { recursive: true });
  const identity = await chooseIdentity(await gatherFacts(directory, binaries.postgres));
  await assertReach(identity, binaries.postgres, path.dirname(directory));
  await ensureCluster(directory, binaries, identity, options.log);
  const password = await readPassword(directory);
  return { directory, binaries, identity, password, settings: options.settings ?? {}, log: options.log };
}

/** Checks that another user may run the programs and enter the data's folder, which may be below /root. */
async function assertReach(identity: Identity, program: string, parent: string): Promise<void> {
  if (identity.kind !== "account") return;
  const { ok } = await runProgram(identity, "/bin/sh", [
    "-c",
    'test -x "$0" && test -x "$1"',
    program,
    parent,
  ]);
  if (ok) return;
  throw new DatabaseSetupError(
    `Postgres does not run as root, and the user ${identity.account.uid}, who would run it instead, may not enter ` +
      `${parent} or run ${program}. Start the site as an ordinary user, or move it out of /root, or set DATABASE_URL.`,
  );
}

/** Turns errors of the file system and of Postgres into one line for an operator; others are bugs. */
function explain(error: unknown, directory: string): unknown {
  if (error instanceof ServerEnded) {
    return new DatabaseSetupError(`The database in ${directory} does not start: ${error.reason}`, {
      cause: error,
    });
  }
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return error;
  return new DatabaseSetupError(`The database cannot be kept in ${directory}: ${message}`, { cause: error });
}

const LONGEST_PAUSE_MS = 30_000;

/**
 * Restarts a server that ends by itself (out of memory, stopped by hand), on the same port, so that pools recover.
 * @returns a function that stops it for good
 */
function keepRunning(site: Site, first: RunningServer): () => Promise<void> {
  const stopping = new AbortController();
  let current: RunningServer | null = first;
  const watching = (async () => {
    while (current && !stopping.signal.aborted) {
      await current.ended;
      if (!stopping.signal.aborted) current = await startAgain(site, first.port, stopping.signal);
    }
    await current?.stop();
  })();
  return async () => {
    stopping.abort();
    await current?.stop();
    await watching;
  };
}

/** Null when another process has started it meanwhile, or when stopping. */
async function startAgain(site: Site, port: number, stopping: AbortSignal): Promise<RunningServer | null> {
  site.log("The database ended without being asked to; starting it again");
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
