import type pg from "pg";
import type { Logger } from "pino";
import { QUEUE_SCHEMA } from "../../db/jobs.ts";
import { runEvery } from "../../settings/timers.ts";

export interface PoolSilence {
  /** How often a process reports its worker pools as alive and looks for dead ones. */
  readonly beatMs: number;
  /** Seconds without a report after which a pool counts as dead. */
  readonly silentS: number;
}

const SILENCE: PoolSilence = { beatMs: 5_000, silentS: 20 };

export interface PoolRegister {
  add(poolId: string): void;
  /** Stops reporting one, so that it counts as dead a while later. */
  remove(poolId: string): void;
  /** Stops reporting; jobs that the pools still hold are freed once they count as dead. */
  stop(): Promise<void>;
}

/** Reports live pools and frees the jobs of dead ones, which the queue itself does only after four hours. */
export function registerPools(
  pgPool: pg.Pool,
  log: Logger,
  { beatMs, silentS }: PoolSilence = SILENCE,
): PoolRegister {
  const ids = new Set<string>();
  const beat = async () => {
    try {
      await sayAlive(pgPool, [...ids]);
      if (!(await isTimeToJudge(pgPool, silentS))) return;
      const freed = await freeJobsOfSilent(pgPool, silentS);
      if (freed.length > 0) log.warn({ pools: freed }, "freed the jobs of workers that have died");
    } catch (error) {
      log.debug({ err: error }, "could not say that the workers are alive");
    }
  };
  const stopping = new AbortController();
  const beating = runEvery(beat, beatMs, stopping.signal);
  return {
    add: (poolId) => {
      ids.add(poolId);
      // At once: others may count a job as abandoned whose pool has never reported.
      void beat();
    },
    remove: (poolId) => void ids.delete(poolId),
    stop: async () => {
      stopping.abort();
      await beating;
    },
  };
}

async function sayAlive(pgPool: pg.Pool, ids: string[]): Promise<void> {
  await pgPool.query(
    `insert into job_pools (id) select unnest($1::text[]) on conflict (id) do update set seen_at = now()`,
    [ids],
  );
}

/** Whether processes have reported for long enough without a pause to call a silent pool dead. */
async function isTimeToJudge(pgPool: pg.Pool, silentS: number): Promise<boolean> {
  const { rows } = await pgPool.query<{ long: boolean }>(
    `insert into job_watch as watch (since, seen_at) values (now(), now())
     on conflict (only_row) do update set
       since = case when watch.seen_at < now() - make_interval(secs => $1::float / 2) then now() else watch.since end,
       seen_at = now()
     returning since < now() - make_interval(secs => $1) as long`,
    [silentS],
  );
  return rows[0]?.long === true;
}

/** Spares recent locks: a new pool may hold a job before its first report. Returns the ids of the dead pools. */
async function freeJobsOfSilent(pgPool: pg.Pool, silentS: number): Promise<string[]> {
  const { rows } = await pgPool.query<{ ids: string[] }>(
    `with silent as (
       select array(
         select distinct locked_by from ${QUEUE_SCHEMA}.jobs job
          where locked_at < now() - make_interval(secs => $1)
            and not exists (select from job_pools pool
                             where pool.id = job.locked_by and pool.seen_at > now() - make_interval(secs => $1))
       ) as ids)
     select ids from silent, ${QUEUE_SCHEMA}.force_unlock_workers(ids) where cardinality(ids) > 0`,
    [silentS],
  );
  await pgPool.query("delete from job_pools where seen_at < now() - interval '1 day'");
  return rows[0]?.ids ?? [];
}
