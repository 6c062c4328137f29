import type { Db } from "./connect.ts";

/** What a job does; the names of all tasks, each defined by the feature it belongs to and put together in jobs/. */
export type TaskName =
  | "tell_discount"
  | "deliver_notice"
  | "deliver_digest"
  | "send_confirmation"
  | "send_password_reset"
  | "remove_expired"
  | "remove_old_notices"
  | "roll_up_history"
  | "continue_demo_history";

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

/** Adds jobs in the transaction of `db`: they are there if it commits, and only then. */
export async function addJobs(db: Db, jobs: readonly JobSpec[]): Promise<void> {
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
    `select graphile_worker.add_jobs(
       array(select json_populate_record(null::graphile_worker.job_spec, spec) from json_array_elements(?::json) spec))`,
    [JSON.stringify(specs)],
  );
}
