import { EventEmitter } from "node:events";
import {
  Logger as QueueLogger,
  type RunnerOptions,
  run,
  type TaskList,
  type WorkerEvents,
} from "graphile-worker";
import type { Knex } from "knex";
import type pg from "pg";
import type { Level, Logger } from "pino";
import { createPgPool } from "../../db/connect.ts";
import { QUEUE_SCHEMA, type Task, type TaskName, type Tasks } from "../../db/jobs.ts";
import { atMost } from "../../db/running-time.ts";
import { runAs } from "../../db/work.ts";
import { SENDING, taskOf } from "../../notifications/channels.ts";
import { onAbort, sleep } from "../../settings/timers.ts";
import { type PoolRegister, type PoolSilence, registerPools } from "./pools.ts";

/** Tasks that wait for the same service. Lanes are separate, so a stalled service holds up only its own. */
interface Lane {
  readonly tasks: readonly TaskName[];
  readonly concurrency: number;
}

const LANES: readonly Lane[] = [
  // These wait for the database alone.
  { tasks: ["tell_discount", "tell_crossing"], concurrency: 6 },
  // Minutes for a large file. Fetches run one at a time, so a slow one never holds up an upload.
  { tasks: ["import_upload", "fetch_source"], concurrency: 2 },
  {
    tasks: [
      ...SENDING.filter(({ delivery }) => delivery.byMail).map(({ name }) => taskOf(name)),
      "send_confirmation",
      "send_password_reset",
      "tell_replaced_address",
      "tell_webhook_failed",
    ],
    concurrency: 5,
  },
  ...SENDING.filter(({ delivery }) => !delivery.byMail).map(({ name }) => ({
    tasks: [taskOf(name)],
    concurrency: 5,
  })),
];

/**
 * One connection for each lane to listen; the lanes share the rest for their short queries. Each connection costs the
 * database 3 MB for as long as the site runs, since workers look for jobs too often for it to fall idle.
 */
const CONNECTIONS = LANES.length + 2;

/** When stopping, jobs under way are aborted after this time … */
const ABORT_MS = 2_000;
/** … and left alone after this, which leaves the mailer time to close. */
const STOP_MS = 6_500;
const CLOSE_MS = 1_000;

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

export interface JobsOptions {
  readonly db: Knex;
  readonly tasks: Tasks;
  readonly log: Logger;
  /** For tests: how long a dead process keeps its jobs. */
  readonly silence?: PoolSilence;
}

/**
 * Works on the jobs of these tasks until it is stopped, and restarts a lane that ends. On `stop` it waits a few
 * seconds for jobs under way. The rest stay locked, and other processes take them over like those of a dead process.
 */
export function startJobs({ db, tasks, log, silence }: JobsOptions): { stop(): Promise<void> } {
  const pgPool = createPgPool(db, { max: CONNECTIONS, log: (line) => log.debug(line) });
  const register = registerPools(pgPool, log, silence);
  const stopping = new AbortController();
  const place = { pgPool, register, log };
  const lanes = LANES.map((lane) => ({ ...lane, taskList: taskList(lane, tasks, pgPool) }));
  const running = lanes
    .filter((lane) => Object.keys(lane.taskList).length > 0)
    .map((lane) => keepRunning(place, lane, stopping.signal));
  return {
    stop: async () => {
      stopping.abort();
      await atMost(STOP_MS, Promise.all(running));
      await register.stop();
      await atMost(CLOSE_MS, pgPool.end());
    },
  };
}

type RunnableLane = Lane & { readonly taskList: TaskList };

interface RunContext {
  readonly pgPool: pg.Pool;
  readonly register: PoolRegister;
  readonly log: Logger;
}

async function keepRunning(place: RunContext, lane: RunnableLane, stopped: AbortSignal): Promise<void> {
  for (let wait = FIRST_PAUSE_MS; !stopped.aborted; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    const begun = performance.now();
    try {
      await runOnce(place, lane, stopped);
    } catch (error) {
      place.log.warn({ err: error, tasks: lane.tasks }, "the jobs stopped; they begin again");
    }
    if (performance.now() - begun > LONGEST_PAUSE_MS) wait = FIRST_PAUSE_MS;
    await sleep(wait, stopped);
  }
}

/**
 * Runs a lane's worker pool until it ends or is stopped. An ending pool may hang when the queue cannot record the results
 * of jobs (https://github.com/graphile/worker/issues/636); it is then abandoned and no longer reported as alive.
 */
async function runOnce(place: RunContext, lane: RunnableLane, stopped: AbortSignal): Promise<void> {
  const { register } = place;
  const events: WorkerEvents = new EventEmitter();
  const pools: string[] = [];
  events.on("pool:create", ({ workerPool: { id } }) => {
    pools.push(id);
    register.add(id);
  });
  const ending = new Promise((resolve) => events.once("pool:gracefulShutdown", resolve));
  const runner = await run({ ...runnerOptions(place, lane), events });
  const stop = () => void runner.stop().catch(() => undefined);
  const forget = onAbort(stopped, stop);
  try {
    await Promise.race([runner.promise, ending]);
    await atMost(STOP_MS, runner.promise);
  } finally {
    forget();
    for (const id of pools) register.remove(id);
  }
}

function runnerOptions({ pgPool, log }: RunContext, { taskList, concurrency }: RunnableLane): RunnerOptions {
  return {
    pgPool,
    taskList,
    concurrency,
    schema: QUEUE_SCHEMA,
    logger: queueLog(log),
    noHandleSignals: true,
    parsedCronItems: [],
    gracefulShutdownAbortTimeout: ABORT_MS,
    // Without batches, an error while completing a job would end the process; so would returning jobs that were
    // fetched ahead (`localQueue`).
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  };
}

function taskList(lane: Lane, tasks: Tasks, pgPool: pg.Pool): TaskList {
  return Object.fromEntries(
    lane.tasks.flatMap((name) => {
      const task = tasks[name];
      return task ? [[name, asQueueTask(task, pgPool)]] : [];
    }),
  );
}

/** Ends a job only once the database answers: the queue records its result once, and would else repeat the job. */
function asQueueTask(task: Task, pgPool: pg.Pool): NonNullable<TaskList[string]> {
  return async (payload, { job, abortSignal: signal }) => {
    const attempt = { number: job.attempts, isLast: job.attempts >= job.max_attempts, signal };
    try {
      await runAs(
        () => ({ job: job.task_identifier, jobId: String(job.id) }),
        () => task(payload, attempt),
      );
    } finally {
      await untilAnswering(pgPool, signal);
    }
  };
}

async function untilAnswering(pgPool: pg.Pool, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    try {
      await pgPool.query("select 1");
      return;
    } catch {
      await sleep(FIRST_PAUSE_MS, stopped);
    }
  }
}

/** Levels by the queue's names; `info` has a line for each finished job, hence debug. */
const LEVELS: Record<string, Level> = { error: "error", warning: "warn", info: "debug", debug: "debug" };

/** Passes the queue's log on, with a job's task and id but never its payload. A failed job is a warning: it is retried. */
function queueLog(log: Logger): QueueLogger {
  return new QueueLogger((scope) => (level, message, meta = {}) => {
    const { label, taskIdentifier: task, jobId } = scope as Record<string, string | undefined>;
    const severity = meta.failure === true ? "warn" : (LEVELS[level] ?? "info");
    // The message of a failure includes the error's message and stack.
    const [text = message] = message.split(" with error '", 1);
    log[severity]({ queue: label, task, jobId, err: withoutDetails(meta.error) }, text);
  });
}

/** Drops what libraries attach to an error, such as the addresses of a mail. */
function withoutDetails(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const bare = new Error(error.message);
  bare.stack = error.stack;
  return bare;
}
