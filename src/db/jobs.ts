import type { Db } from "./connect.ts";
import { countRows, selectRow } from "./rows.ts";

/** What a job does; the names of all tasks, each defined by the feature it belongs to and put together in jobs/. */
export type TaskName =
  | "tell_discount"
  | DeliveryTask
  | "send_confirmation"
  | "send_password_reset"
  | "tell_replaced_address";

/** One for each channel that sends. */
type DeliveryTask = `deliver_${string}`;

/** Work for later, in whichever process runs jobs. */
export interface JobSpec {
  readonly task: TaskName;
  readonly payload: Record<string, string | number>;
  /** Of two jobs with one key, the later one takes the place of the earlier unless that is at work already. */
  readonly key?: string;
  /** Not before this time; now by default. */
  readonly runAt?: Date;
  /** How often it is tried before it is given up. */
  readonly maxAttempts?: number;
  /** The smaller goes first; 0 by default. */
  readonly priority?: number;
}

/** One attempt at a job. It fails by rejecting and is tried again later, with a pause that grows. */
export interface Attempt {
  /** 1 for the first. */
  readonly number: number;
  readonly isLast: boolean;
  /** Aborts when the process is about to end. */
  readonly signal: AbortSignal;
}

/** The work of one name. It must be safe to repeat: a process may die after the work and before that is noted. */
export type Task = (payload: unknown, attempt: Attempt) => Promise<void>;

/** Some of the tasks, by name: what a feature gives to jobs/, which puts them together. */
export type Tasks = { readonly [Name in Exclude<TaskName, DeliveryTask>]?: Task } & {
  readonly [Name in DeliveryTask]: Task;
};

/** The schema that the queue lives in, with tables of its own that only its functions change. */
export const QUEUE_SCHEMA = "graphile_worker";

/**
 * Adds jobs in the transaction of `db`: they are there if it commits, and only then. No two of them may have one key.
 * `keepRunAt`: a job that waits under the same key keeps its time.
 */
export async function addJobs(
  db: Db,
  jobs: readonly JobSpec[],
  { keepRunAt = false }: { keepRunAt?: boolean } = {},
): Promise<void> {
  if (jobs.length === 0) return;
  const specs = jobs.map(({ task, payload, key, runAt, maxAttempts, priority }) => ({
    identifier: task,
    payload,
    job_key: key,
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

/** What waits in the queue, and what it has given up. */
export interface QueueState {
  /** Due, and not yet taken by anybody. */
  readonly due: number;
  /** For how many seconds the oldest of these has been due; 0 where there is none. */
  readonly lateS: number;
  /** Tried as often as they may be, in the last week. */
  readonly givenUp: number;
}

/** How the queue does, by the database's clock. */
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

/**
 * Removes the jobs that were tried as often as they may be a week ago or longer, and those that a later one replaced;
 * resolves to how many.
 */
export async function removeGivenUpJobs(db: Db): Promise<number> {
  return countRows(
    db,
    `select from graphile_worker.complete_jobs(array(
       select id from graphile_worker.jobs
        where attempts >= max_attempts and locked_at is null
          and (last_error is null or run_at < now() - interval '7 days')))`,
  );
}
