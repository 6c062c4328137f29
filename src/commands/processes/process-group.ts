import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { requireOnlySite } from "../../db/known-sites.ts";
import { openDatabase } from "../../db/open.ts";
import { ConfigError } from "../../settings/sources.ts";
import { sleep } from "../../settings/timers.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { type CommandContext, stopSignal } from "../command.ts";
import { handedSocket, type Order, READY } from "./child.ts";

interface GroupOptions {
  readonly count: number;
  readonly log: (line: string) => void;
  /** How long a process may take to stop before it is killed. */
  readonly longestStopMs: number;
  /** The pause before a crashed process is restarted; doubled each time until one is ready. */
  readonly shortestPauseMs?: number;
}

const LONGEST_PAUSE_MS = 30_000;

/** Why the first start failed. */
class StartFailed extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`a process of the site ended with ${exitCode} before it answered`);
    this.exitCode = exitCode;
  }
}

/**
 * Processes that run this program with the same arguments and share its port: `node:cluster` hands them connections in
 * turn. A crashed process is restarted. A replacement goes one by one, so that some process always serves requests.
 */
export class ProcessGroup {
  readonly #options: Required<GroupOptions>;
  /** The running processes by number. */
  readonly #current = new Map<number, Worker>();
  readonly #stopping = new AbortController();
  /** The process that is being replaced. */
  #outgoing: Worker | undefined;
  /** The running replacement. */
  #replacing: Promise<void> | undefined;
  #isWantedAgain = false;

  constructor(options: GroupOptions) {
    this.#options = { shortestPauseMs: 1_000, ...options };
  }

  /**
   * Starts the first process alone, as it prepares what all need, then the others. Resolves once all are ready.
   * @throws StartFailed if the first process ends before that
   */
  async start(): Promise<void> {
    const first = this.#fork(1);
    if (!(await isReady(first))) {
      if (this.#stopping.signal.aborted) return;
      throw new StartFailed(first.process.exitCode ?? 1);
    }
    this.#watch(1, first);
    const others = Array.from({ length: this.#options.count - 1 }, (_, index) => index + 2);
    await Promise.all(others.map((number) => this.#keep(number)));
    if (!this.#stopping.signal.aborted) this.#options.log(`${this.#options.count} processes answer.`);
  }

  /** Replaces all processes, one after the other. A call during a replacement starts another one afterwards. */
  replaceAll(): Promise<void> {
    if (this.#replacing) this.#isWantedAgain = true;
    this.#replacing ??= this.#replaceEach().finally(() => {
      this.#replacing = undefined;
      if (!this.#isWantedAgain) return undefined;
      this.#isWantedAgain = false;
      return this.replaceAll();
    });
    return this.#replacing;
  }

  /** Stops all processes. Resolves once all have ended. */
  async stop(signal: NodeJS.Signals): Promise<void> {
    this.#stopping.abort();
    const answering = new Set(this.#current.values());
    await Promise.all(
      allWorkers().map((worker) => {
        // Processes that are not ready yet have nothing to finish.
        if (!answering.has(worker)) worker.process.kill("SIGTERM");
        return this.#end(worker, { order: "stop", signal, isReplaced: false });
      }),
    );
  }

  /** Makes stopping processes abort their pending work. */
  stopAtOnce(): void {
    for (const worker of allWorkers()) send(worker, { order: "hurry" });
  }

  async #replaceEach(): Promise<void> {
    this.#options.log(`Replacing ${this.#options.count} processes, one by one.`);
    for (let number = 1; number <= this.#options.count && !this.#stopping.signal.aborted; number += 1) {
      const old = this.#current.get(number);
      // It crashed: a new one is on its way.
      if (!old) continue;
      this.#outgoing = old;
      const next = this.#fork(number);
      const isNextReady = await isReady(next);
      this.#outgoing = undefined;
      if (!isNextReady) {
        this.#options.log(
          `The new process ${number} did not start; those that have not been replaced go on.`,
        );
        if (old.isDead()) void this.#keep(number);
        return;
      }
      this.#watch(number, next);
      await this.#end(old, { order: "stop", signal: "SIGTERM", isReplaced: true });
    }
    if (!this.#stopping.signal.aborted) this.#options.log("All processes are replaced.");
  }

  #fork(number: number): Worker {
    const worker = cluster.fork();
    send(worker, { order: "begin", number, joins: this.#current.size > 0 });
    return worker;
  }

  /** Restarts a process until it is ready, then watches it. */
  async #keep(number: number): Promise<void> {
    for (let pauseMs = this.#options.shortestPauseMs; !this.#stopping.signal.aborted; pauseMs *= 2) {
      const worker = this.#fork(number);
      if (await isReady(worker)) {
        this.#watch(number, worker);
        return;
      }
      await sleep(Math.min(pauseMs, LONGEST_PAUSE_MS), this.#stopping.signal);
    }
  }

  async #end(worker: Worker, order: Order): Promise<void> {
    if (worker.isDead()) return;
    const ended = once(worker, "exit");
    send(worker, order);
    const late = setTimeout(() => {
      this.#options.log("A process takes too long to stop and is killed.");
      worker.process.kill("SIGKILL");
    }, this.#options.longestStopMs);
    await ended.finally(() => clearTimeout(late));
  }

  #watch(number: number, worker: Worker): void {
    this.#current.set(number, worker);
    worker.once("exit", (code, signal) => {
      // Otherwise its successor is already running.
      if (this.#stopping.signal.aborted || this.#current.get(number) !== worker) return;
      this.#current.delete(number);
      this.#options.log(`Process ${number} ended by itself (${signal ?? code}); starting another.`);
      if (worker === this.#outgoing) return;
      void sleep(this.#options.shortestPauseMs, this.#stopping.signal).then(() => this.#keep(number));
    });
  }
}

function allWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}

/** Resolves once a process is ready, to false if it ends before that. */
function isReady(worker: Worker): Promise<boolean> {
  return new Promise((resolve) => {
    worker.on("message", (message: Partial<typeof READY>) => {
      if (message.isReady === READY.isReady) resolve(true);
    });
    worker.once("exit", () => resolve(false));
  });
}

/** Sends an order. The callback keeps an order to an ended process from being an uncaught error. */
function send(worker: Worker, order: Order): void {
  if (worker.isConnected()) worker.send(order, () => undefined);
}

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
          {
            log: err,
            migrate: false,
            create: true,
            maxConnections: count * CONNECTIONS_EACH,
            keepsRunning: true,
          },
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
