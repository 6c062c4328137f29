import { mkdir } from "node:fs/promises";
import path from "node:path";
import { DatabaseSetupError } from "../failures.ts";
import { findPackage, prepareBinaries } from "./binaries.ts";
import { ensureCluster, readPassword } from "./cluster.ts";
import { chooseIdentity, gatherFacts } from "./identity.ts";
import { keepRunning } from "./keep-running.ts";
import { openServer, type Site } from "./open.ts";
import { inspectHolder, readPostmasterFile } from "./postmaster.ts";
import type { Identity } from "./program.ts";
import { runProgram } from "./program.ts";
import { ServerEnded } from "./server.ts";
import { prepareSiteRole } from "./site-role.ts";

export interface EmbeddedPostgresOptions {
  /** Where the database lives; made when it is missing. Its parent holds a draft while it is being made. */
  readonly directory: string;
  /** Receives lines about progress for an operator. */
  readonly log: (line: string) => void;
  /** Server settings for this run, such as `fsync=off` in tests. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The npm package with the programs; default: the one that npm installed for this platform. */
  readonly packageRoot?: string;
}

export interface EmbeddedPostgres {
  /** For any Postgres client; contains the password. Its role owns the database and is no superuser. */
  readonly url: string;
  /** True where another process runs the server of that directory, and this one merely uses it. */
  readonly adopted: boolean;
  /** Ends the server if it is ours, with nothing lost; call it last, after the pools are closed. */
  stop(): Promise<void>;
}

/**
 * Starts the embedded Postgres of a directory, as root or any other user, or joins the one that runs there:
 * `almanac import` beside a running site works on the same database.
 *
 * Whoever started the server ends it. If that process stops while another still uses the database, the other gets
 * connection errors at once (`isDatabaseAway`, so 503) and works again when the server is back: the port stays the
 * same from start to start, unless somebody else has taken it. However this process ends, kill -9 included, the
 * server is shut down; if the server ends by itself, it is started again. Containers and machines must not share
 * one directory: they do not see each other's processes, so each would take the other's server for a dead one.
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

/** The address of the server that runs in a directory now; null where none does. */
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

/** Another user cannot enter /root, for example, neither for the programs nor for the data. */
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

/** Errors of the file system and of Postgres, as one line for an operator; others are our own mistakes. */
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
