import pg from "pg";
import { QUEUE_SCHEMA } from "../../db/jobs.ts";
import type { BackupHeader } from "./format.ts";
import { KEPT_TABLES, LEFT_OUT_TABLES, SESSIONS } from "./tables.ts";

/** The content of a database, as a backup needs it. */
export type Contents = Pick<
  BackupHeader,
  "postgres" | "migrations" | "ownKinds" | "partitions" | "tables" | "sequences"
> & {
  /** Tables in the schema that are none of ours. */
  readonly foreign: readonly string[];
  /** Rows by the database's own estimate. */
  readonly estimatedRows: number;
  /** True if the job queue exists. */
  readonly hasJobs: boolean;
};

/** Texts of values that every Postgres reads alike, and no limit of time. */
export const COPY_SETTINGS =
  "set timezone to 'UTC'; set datestyle to 'ISO'; set intervalstyle to 'postgres'; set bytea_output to 'hex'; " +
  "set extra_float_digits to 1; set statement_timeout to 0; set idle_in_transaction_session_timeout to 0";

/** A table was dropped, or its lock could not be had, while the list of tables was read. */
const CHANGED = /^(42P01|40001)$/;
const TRIES = 5;

/**
 * Begins a transaction that sees one state of the database, and holds its tables against being dropped. Undefined: there is
 * no site in it.
 */
export async function openSnapshot(
  connection: pg.Client,
  { sessions }: { sessions: boolean },
): Promise<Contents | undefined> {
  for (let tries = 1; ; tries++) {
    const tables = await listTables(connection, sessions);
    if (tables === undefined) return undefined;
    try {
      // The lock first: the state that is seen is that of the first statement which reads.
      await connection.query("begin isolation level repeatable read read only");
      const names = tables.map(({ name }) => pg.escapeIdentifier(name)).join(", ");
      await connection.query(`lock table knex_migrations, ${names} in access share mode`);
      const contents = await describe(connection, sessions);
      if (contents && JSON.stringify(contents.tables) === JSON.stringify(tables)) return contents;
    } catch (error) {
      if (!CHANGED.test(String((error as { code?: unknown }).code))) throw error;
    }
    await connection.query("rollback");
    if (tries === TRIES) throw new Error("the tables of the database keep changing");
  }
}

async function describe(connection: pg.Client, sessions: boolean): Promise<Contents | undefined> {
  const tables = await listTables(connection, sessions);
  if (tables === undefined) return undefined;
  const names = tables.map(({ name }) => name);
  const one = async <Row extends object>(sql: string, values: unknown[] = []): Promise<Row> =>
    (await connection.query<Row>(sql, values)).rows[0] as Row;
  const { migrations } = await one<{ migrations: string[] }>(
    "select array_agg(name order by name) as migrations from knex_migrations",
  );
  const { postgres, jobs } = await one<{ postgres: string; jobs: boolean }>(
    "select current_setting('server_version') as postgres, to_regclass($1) is not null as jobs",
    [`${QUEUE_SCHEMA}._private_jobs`],
  );
  const { rows } = await one<{ rows: number }>(
    `select coalesce(sum(greatest(c.reltuples, 0)), 0)::float8 as rows from pg_class c
      where relnamespace = current_schema()::regnamespace and relkind = 'r'`,
  );
  return {
    postgres,
    migrations: migrations ?? [],
    ownKinds: await listOwnKinds(connection),
    partitions: await listPartitions(connection),
    tables,
    sequences: await listSequences(connection, names),
    foreign: await listForeign(connection, names),
    estimatedRows: rows,
    hasJobs: jobs,
  };
}

/** The tables that a backup has of this database, by name, with the columns that are stored and not computed. */
async function listTables(
  connection: pg.Client,
  sessions: boolean,
): Promise<BackupHeader["tables"] | undefined> {
  const { rows: there } = await connection.query("select to_regclass('knex_migrations') is not null as yes");
  if (!there[0]?.yes) return undefined;
  const own = (await listOwnKinds(connection)).map(({ kind }) => kind);
  const wanted = [...KEPT_TABLES, ...own, ...(sessions ? [SESSIONS] : [])];
  const { rows } = await connection.query<BackupHeader["tables"][number]>(
    `select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns
       from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
        and c.relname = any($1) and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      group by 1 order by 1`,
    [wanted],
  );
  return rows.length === 0 ? undefined : rows;
}

/** The operator's own kinds, which have tables. */
export async function listOwnKinds(connection: pg.Client): Promise<BackupHeader["ownKinds"]> {
  const { rows: there } = await connection.query("select to_regclass('own_kinds') is not null as yes");
  if (!there[0]?.yes) return [];
  return (await connection.query("select kind, one from own_kinds order by kind")).rows;
}

/** Each partition holds a day or a month of UTC. */
async function listPartitions(connection: pg.Client): Promise<BackupHeader["partitions"]> {
  const { rows } = await connection.query(
    `select parent.relname::text as "table",
            case when min(until - start) > interval '25 hours' then 'month' else 'day' end as step,
            array_agg(to_char(start, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') order by start) as starts
       from (select inhparent, (regexp_match(bound, 'FROM \\(''([^'']+)''\\)'))[1]::timestamptz at time zone 'UTC' as start,
                    (regexp_match(bound, 'TO \\(''([^'']+)''\\)'))[1]::timestamptz at time zone 'UTC' as until
               from pg_inherits join pg_class on pg_class.oid = inhrelid,
                    pg_get_expr(relpartbound, pg_class.oid) as bound
              where relispartition and relkind = 'r') part
       join pg_class parent on parent.oid = inhparent
      where parent.relnamespace = current_schema()::regnamespace and parent.relname = any($1)
      group by 1 order by 1`,
    [KEPT_TABLES],
  );
  return rows;
}

async function listSequences(connection: pg.Client, names: string[]): Promise<BackupHeader["sequences"]> {
  const { rows } = await connection.query<{ table: string; column: string; sequence: string }>(
    `select c.relname::text as "table", a.attname::text as "column",
            pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
       from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = current_schema()::regnamespace and c.relname = any($1)
        and a.attnum > 0 and not a.attisdropped and pg_get_serial_sequence(quote_ident(c.relname), a.attname) is not null
      order by 1, 2`,
    [names],
  );
  const sequences = [];
  for (const { table, column, sequence } of rows) {
    const state = await connection.query(
      `select last_value::text as value, is_called as "isCalled" from ${sequence}`,
    );
    sequences.push({ table, column, ...state.rows[0] });
  }
  return sequences;
}

async function listForeign(connection: pg.Client, names: string[]): Promise<string[]> {
  const known = [...names, ...LEFT_OUT_TABLES.map(({ table }) => table), SESSIONS];
  const { rows } = await connection.query<{ name: string }>(
    `select relname::text as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
        and relname <> all($1) order by 1`,
    [known],
  );
  return rows.map(({ name }) => name);
}

/** Jobs as the queue's own function takes them back, without those that were given up. */
export const SELECT_JOBS = `
  select task.identifier, job.payload, queue.queue_name, job.run_at, job.max_attempts, job.key as job_key, job.priority
    from ${QUEUE_SCHEMA}._private_jobs job join ${QUEUE_SCHEMA}._private_tasks task on task.id = job.task_id
    left join ${QUEUE_SCHEMA}._private_job_queues queue on queue.id = job.job_queue_id
   where job.attempts < job.max_attempts or job.locked_at is not null
   order by job.id`;

/** The columns of `SELECT_JOBS`. */
export const JOB_COLUMNS = [
  ...["identifier", "payload", "queue_name", "run_at", "max_attempts", "job_key", "priority"],
] as const;
