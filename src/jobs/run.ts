import { EventEmitter } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { type RunnerOptions, run, type TaskList, type WorkerEvents } from "graphile-worker";
import type { Knex } from "knex";
import type pg from "pg";
import type { Logger } from "pino";
import { createPgPool } from "../db/connect.ts";
import { QUEUE_SCHEMA, type Task, type TaskName, type Tasks } from "../db/jobs.ts";
import { SENDING, taskOf } from "../notifications/channels.ts";
import { type PoolRegister, type PoolSilence, registerPools } from "./pools.ts";
import { queueLog } from "./queue-log.ts";

/** Tasks that share what they wait for. Each lane works by itself, so that a server that stalls holds up its own only. */
interface Lane {
  readonly tasks: readonly TaskName[];
  readonly concurrency: number;
}

const LANES: readonly Lane[] = [
  { tasks: ["tell_discount"], concurrency: 3 },
  {
    tasks: [
      ...SENDING.filter(({ delivery }) => delivery.byMail).map(({ name }) => taskOf(name)),
      "send_confirmation",
      "send_password_reset",
      "tell_replaced_address",
    ],
    concurrency: 5,
  },
  ...SENDING.filter(({ delivery }) => !delivery.byMail).map(({ name }) => ({
    tasks: [taskOf(name)],
    concurrency: 5,
  })),
];

/** Each lane listens by one connection; the rest is shared, as every query of the queue is a short one. */
const CONNECTIONS = LANES.length + 5;

/** Jobs are told after so long that their worker pool ends … */
const ABORT_MS = 2_000;
/** … and those that have not ended then, nor when the mailer let go of its server, are left alone. */
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
 * Works on the jobs of these tasks until it is stopped, whatever becomes of the database in between: a lane that ends
 * begins again. `stop` lets the jobs under way finish for a few seconds; those that do not are left locked, and other
 * processes take them over like those of a process that died.
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

/** Waits for some work, but not for longer than that. */
async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  const timer = delay(milliseconds, undefined, { signal: over.signal }).catch(() => undefined);
  try {
    await Promise.race([work, timer]);
  } finally {
    over.abort();
  }
}

type RunnableLane = Lane & { readonly taskList: TaskList };

interface Place {
  readonly pgPool: pg.Pool;
  readonly register: PoolRegister;
  readonly log: Logger;
}

async function keepRunning(place: Place, lane: RunnableLane, stopped: AbortSignal): Promise<void> {
  for (let pause = FIRST_PAUSE_MS; !stopped.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const begun = performance.now();
    try {
      await runOnce(place, lane, stopped);
    } catch (error) {
      place.log.warn({ err: error, tasks: lane.tasks }, "the jobs stopped; they begin again");
    }
    if (performance.now() - begun > LONGEST_PAUSE_MS) pause = FIRST_PAUSE_MS;
    await delay(pause, undefined, { signal: stopped }).catch(() => undefined);
  }
}

/**
 * Until the lane's worker pool ends by itself, or is asked to. One that is ending may wait for ever, where the queue
 * could note neither what came of one job nor of the next (https://github.com/graphile/worker/issues/636); it is left
 * alone then, and no longer speaks for the jobs that it holds.
 */
async function runOnce(place: Place, lane: RunnableLane, stopped: AbortSignal): Promise<void> {
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
  stopped.addEventListener("abort", stop, { once: true });
  if (stopped.aborted) stop();
  try {
    await Promise.race([runner.promise, ending]);
    await atMost(STOP_MS, runner.promise);
  } finally {
    stopped.removeEventListener("abort", stop);
    for (const id of pools) register.remove(id);
  }
}

function runnerOptions({ pgPool, log }: Place, { taskList, concurrency }: RunnableLane): RunnerOptions {
  return {
    pgPool,
    taskList,
    concurrency,
    schema: QUEUE_SCHEMA,
    logger: queueLog(log),
    noHandleSignals: true,
    parsedCronItems: [],
    gracefulShutdownAbortTimeout: ABORT_MS,
    // Without a batch, the queue does not catch the error of a job that it cannot take off, and the process ends.
    // Nor may it fetch jobs ahead (`localQueue`): when it cannot give them back, the process ends as well.
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

/**
 * The queue tries only once to note what came of a job; a job that was done while the database is away would be done
 * again. So the end of a job is told only once the database answers.
 */
function asQueueTask(task: Task, pgPool: pg.Pool): NonNullable<TaskList[string]> {
  return async (payload, { job, abortSignal: signal }) => {
    try {
      await task(payload, { number: job.attempts, isLast: job.attempts >= job.max_attempts, signal });
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
      await delay(FIRST_PAUSE_MS, undefined, { signal: stopped }).catch(() => undefined);
    }
  }
}
