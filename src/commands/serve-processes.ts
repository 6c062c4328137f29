import { requireOnlySite } from "../db/known-sites.ts";
import { openDatabase } from "../db/open.ts";
import { ConfigError } from "../settings/sources.ts";
import { UsageError } from "../settings/usage-error.ts";
import { type CommandContext, stopSignal } from "./command.ts";
import { handedSocket } from "./processes/child.ts";
import { ProcessGroup, StartFailed } from "./processes/process-group.ts";

export const MOST_PROCESSES = 64;
/** Connections of the embedded Postgres for each process: twice `DATABASE_POOL`, jobs, the site's own work. */
const CONNECTIONS_EACH = 60;

/** For what is under way after SHUTDOWN_DELAY_S: ten seconds for requests, then jobs and writes of what was counted. */
const FINISH_MS = 45_000;

/** The value of --processes. @throws UsageError */
export function processCount(given = "1"): number {
  const count = /^\d+$/.test(given) ? Number(given) : 0;
  if (count < 1 || count > MOST_PROCESSES)
    throw new UsageError(`--processes takes a number from 1 to ${MOST_PROCESSES}, not "${given}"`);
  return count;
}

/**
 * Runs several processes of the site on one port until a signal; SIGHUP replaces them one by one. This process serves
 * no requests: it keeps the port, and the embedded Postgres if there is one.
 * @returns the exit code: the first process's if it did not start
 */
export async function serveProcesses(context: CommandContext, count: number): Promise<number> {
  const { config, err } = context;
  if (config.port === 0 && handedSocket(config.socketFor) === undefined)
    throw new ConfigError("PORT: 0 is any free port; several processes need a certain one");
  await requireOnlySite(config);
  const database =
    config.databaseUrl === undefined
      ? await openDatabase(
          { ...config, databasePool: 2 },
          { log: err, migrate: false, create: true, maxConnections: count * CONNECTIONS_EACH },
        )
      : undefined;
  const longestStopMs = config.shutdownDelayS * 1_000 + FINISH_MS;
  const group = new ProcessGroup({ count, log: err, longestStopMs });
  const signal = stopSignal(() => group.stopAtOnce(), ["SIGINT", "SIGTERM"]);
  const replace = () => void group.replaceAll();
  process.on("SIGHUP", replace);
  try {
    const stopped = signal.then((received) => group.stop(received));
    await Promise.race([group.start(), stopped]);
    await stopped;
    return 0;
  } catch (error) {
    if (error instanceof StartFailed) return error.exitCode;
    throw error;
  } finally {
    process.off("SIGHUP", replace);
    await database?.close();
  }
}
