import type { Db } from "./connect.ts";
import { countRows, selectRow } from "./rows.ts";

/** The names of all tasks. Each feature defines its own, and jobs/ combines them. */
export type TaskName =
  | "tell_discount"
  | "tell_crossing"
  | DeliveryTask
  | "send_confirmation"
  | "send_password_reset"
  | "tell_replaced_address"
  | "tell_webhook_failed"
  | "import_upload"
  | "fetch_source";

/** One task for each channel that sends. */
type DeliveryTask = `deliver_${string}`;

/** Work for later, in any process that runs jobs. */
export interface JobSpec {
  readonly task: TaskName;
  readonly payload: Record<string, string | number>;
  /** A later job with the same key replaces the earlier one, unless that is running. */
  readonly key?: string;
  /** Not before this time; now by default. */
  readonly runAt?: Date;
  /** Attempts before it fails for good. */
  readonly maxAttempts?: number;
  /** Jobs of one queue run one after the other. */
  readonly queue?: string;
  /** The smaller goes first; 0 by default. */
  readonly priority?: number;
}

/** One attempt at a job. A job that rejects is retried after a growing pause. */
export interface Attempt {
  /** 1 for the first. */
  readonly number: number;
  readonly isLast: boolean;
  /** Aborts when the process is about to end. */
  readonly signal: AbortSignal;
}

/** The work of a task. It must be safe to repeat, because a process may die between the work and its record. */
export type Task = (payload: unknown, attempt: Attempt) => Promise<void>;

/** A feature's tasks, by name. */
export type Tasks = { readonly [Name in Exclude<TaskName, DeliveryTask>]?: Task } & {
  readonly [Name in DeliveryTask]: Task;
};

/** The queue's schema; only its own functions change its tables. */
export const QUEUE_SCHEMA = "graphile_worker";

/**
 * Adds jobs in the transaction of `db`. Each must have a different key. With `keepRunAt`, a waiting job with the same
 * key keeps its time.
 */
export async function addJobs(
  db: Db,
  jobs: readonly JobSpec[],
  { keepRunAt = false }: { keepRunAt?: boolean } = {},
): Promise<void> {
  if (jobs.length === 0) return;
  const specs = jobs.map(({ task, payload, key, queue, runAt, maxAttempts, priority }) => ({
    identifier: task,
    payload,
    job_key: key,
    queue_name: queue,
    run_at: runAt,
    max_attempts: maxAttempts,
    priority,
  }));
  await db.raw(
    `select count(*) from graphile_worker.add_jobs(
       array(select json_populate_record(null::graphile_worker.job_spec, spec) from json_array_elements(?::json) spec),
       ?)`,
    [JSON.stringify(specs), keepRunAt],
  );
}

/** A due job waits only seconds if a process works. After this long, no process does. */
export const LATE_S = 300;

export interface QueueState {
  /** Due jobs that no worker has taken. */
  readonly due: number;
  /** Seconds that the oldest of these has been due, or 0. */
  readonly lateS: number;
  /** Jobs that failed for good in the last week. */
  readonly givenUp: number;
}

/** The state of the queue, by the database's clock. */
export async function readQueueState(db: Db): Promise<QueueState> {
  return selectRow<QueueState>(
    db,
    `select (count(*) filter (where due))::int as due,
            coalesce(extract(epoch from now() - min(run_at) filter (where due)), 0)::int as "lateS",
            (count(*) filter (where attempts >= max_attempts and locked_at is null and last_error is not null))::int as "givenUp"
       from (select *, attempts < max_attempts and locked_at is null and run_at <= now() as due
               from graphile_worker.jobs) job`,
  );
}

/** Removes jobs that failed for good a week ago, and replaced ones; returns their number. */
export async function removeGivenUpJobs(db: Db): Promise<number> {
  return countRows(
    db,
    `select from graphile_worker.complete_jobs(array(
       select id from graphile_worker.jobs
        where attempts >= max_attempts and locked_at is null
          and (last_error is null or run_at < now() - interval '7 days')))`,
  );
}
