import type { Knex } from "knex";
import { pino } from "pino";
import { inject, onTestFinished } from "vitest";
import { type JobsOptions, startJobs } from "../../src/commands/jobs/run.ts";
import { createDb } from "../../src/db/connect.ts";
import type { Tasks } from "../../src/db/jobs.ts";
import { PATIENT } from "./patience.ts";

/** Works on jobs until the end of the test, or until it is stopped. */
export function runJobs(
  db: Knex,
  tasks: Tasks,
  options: Partial<JobsOptions> = {},
): { stop(): Promise<void> } {
  const jobs = startJobs({ db, tasks, log: pino({ level: "silent" }), ...options });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= jobs.stop();
    return stopped;
  };
  onTestFinished(stop);
  return { stop };
}

/** What is in the queue, by key. */
export function queuedJobs(db: Knex): Promise<
  {
    task_identifier: string;
    key: string | null;
    queue_name: string | null;
    attempts: number;
    run_at: Date;
    locked_by: string | null;
  }[]
> {
  return db.withSchema("graphile_worker").from("jobs").orderBy(["key", "id"]);
}

/** Cuts everybody off from a database, as a server that goes away does; `back` lets them in again. */
export async function cutOff(url: string): Promise<{ back(): Promise<void> }> {
  const name = new URL(url).pathname.slice(1);
  const admin = createDb({ url: inject("adminUrl"), poolMax: 1, ...PATIENT });
  await admin.raw("alter database ?? with allow_connections false", [name]);
  await admin.raw("select pg_terminate_backend(pid) from pg_stat_activity where datname = ?", [name]);
  const back = async () => {
    await admin.raw("alter database ?? with allow_connections true", [name]);
    await admin.destroy();
  };
  return { back };
}
