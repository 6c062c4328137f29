import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { QUEUE_SCHEMA } from "../../db/jobs.ts";
import type { BackupHeader } from "./format.ts";
import { JOB_COLUMNS } from "./snapshot-queries.ts";

/** An index or a foreign key that is made again once the rows are there, which takes a fraction of the time. */
interface Remade {
  readonly remove: string;
  readonly make: string;
}

/** Tables of our schema. */
const OURS =
  "c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname = any($1)";

/** Makes the tables of the operator's own kinds, and the partitions, empty. */
export async function addTables(
  connection: pg.Client,
  { ownKinds, partitions }: BackupHeader,
): Promise<void> {
  for (const { kind, one } of ownKinds)
    await connection.query("select add_catalogue_kind($1, $2, placed => true, favorite => true)", [
      kind,
      one,
    ]);
  for (const { table, step, starts } of partitions)
    await connection.query("select ensure_partitions($1, $2, $3::timestamptz[])", [table, step, starts]);
}

/**
 * Empties tables and lets them be filled without triggers, indexes and foreign keys; the returned function makes these
 * again, until the signal, and sets the triggers to work. Wants to own the tables, and no more than that.
 */
export async function bareTables(
  connection: pg.Client,
  tables: string[],
): Promise<(signal?: AbortSignal) => Promise<void>> {
  for (const table of tables)
    await connection.query(`alter table ${pg.escapeIdentifier(table)} disable trigger user`);
  await connection.query(`truncate ${tables.map(pg.escapeIdentifier).join(", ")}`);
  const remade = [...(await listForeignKeys(connection, tables)), ...(await listIndexes(connection, tables))];
  for (const { remove } of remade) await connection.query(remove);
  return async (signal) => {
    await connection.query("set local maintenance_work_mem to '128MB'");
    for (const { make } of remade.toReversed()) {
      signal?.throwIfAborted();
      await connection.query(make);
    }
    for (const table of tables)
      await connection.query(`alter table ${pg.escapeIdentifier(table)} enable trigger user`);
  };
}

async function listForeignKeys(connection: pg.Client, tables: string[]): Promise<Remade[]> {
  const { rows } = await connection.query<Remade>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as remove,
            format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(con.oid)) as make
       from pg_constraint con join pg_class c on c.oid = conrelid
      where contype = 'f' and conparentid = 0 and ${OURS}`,
    [tables],
  );
  return rows;
}

/**
 * All indexes that no constraint needs. For one on partitions, Postgres says ON ONLY the table, which would leave the
 * partitions out.
 */
async function listIndexes(connection: pg.Client, tables: string[]): Promise<Remade[]> {
  const { rows } = await connection.query<Remade>(
    `select format('drop index %s', indexrelid::regclass) as remove,
            regexp_replace(pg_get_indexdef(indexrelid), '^(CREATE (UNIQUE )?INDEX \\S+ ON )ONLY ', '\\1') as make
       from pg_index join pg_class c on c.oid = indrelid
      where not exists (select from pg_constraint where conindid = indexrelid) and ${OURS}`,
    [tables],
  );
  return rows;
}

/** Loads some packed rows of COPY's text format; resolves to their number. */
export async function loadRows(
  connection: pg.Client,
  { name, columns }: BackupHeader["tables"][number],
  packed: Buffer,
): Promise<number> {
  const copy = connection.query(
    copyFrom(`copy ${pg.escapeIdentifier(name)} (${columns.map(pg.escapeIdentifier).join(", ")}) from stdin`),
  );
  await pipeline(Readable.from([packed]), createGunzip(), copy);
  return copy.rowCount ?? 0;
}

/** Sets the sequences of identity columns to where they were. */
export async function setSequences(
  connection: pg.Client,
  sequences: BackupHeader["sequences"],
): Promise<void> {
  for (const { table, column, value, isCalled } of sequences)
    await connection.query("select setval(pg_get_serial_sequence(quote_ident($1), $2), $3::bigint, $4)", [
      ...[table, column, value, isCalled],
    ]);
}

const WAITING_JOBS = "almanac_waiting_jobs";

/** A table for the jobs of a backup, for this transaction. */
export async function createJobTable(connection: pg.Client): Promise<BackupHeader["tables"][number]> {
  await connection.query(`
    create temporary table ${WAITING_JOBS} (
      place bigint generated always as identity, identifier text, payload json, queue_name text, run_at timestamptz,
      max_attempts integer, job_key text, priority integer) on commit drop`);
  return { name: WAITING_JOBS, columns: [...JOB_COLUMNS] };
}

/** Replaces the queue's jobs by those of that table, or by none. */
export async function takeOverJobs(connection: pg.Client, { asSent }: { asSent: boolean }): Promise<void> {
  await connection.query(`truncate ${QUEUE_SCHEMA}._private_jobs, ${QUEUE_SCHEMA}._private_job_queues`);
  if (asSent) return;
  await connection.query(`
    select count(*) from ${QUEUE_SCHEMA}.add_jobs(array(
      select json_populate_record(null::${QUEUE_SCHEMA}.job_spec, row_to_json(waiting))
        from ${WAITING_JOBS} waiting order by place))`);
}

/**
 * Marks everything that is due now as sent: notifications and messages that wait, discounts that have begun, wishes,
 * and crossings.
 */
export async function countAsSent(connection: pg.Client): Promise<void> {
  const reason = "it waited in a backup, which was restored without sending";
  await connection.query(
    "update deliveries set state = 'dropped', settled_at = now(), reason = $1 where state = 'waiting'",
    [reason],
  );
  await connection.query(`
    delete from webhook_news;
    update discounts set told_at = now() where told_at is null and starts_at <= now();
    update discount_runs set webhooks_run = run where starts_at <= now();
    update server_crossings set alerted_at = coalesce(alerted_at, now()), webhooks_told = true;
    update donate_favorites set wish_met = true where wish is not null`);
}

/** Connections of other processes of Almanac to this database, by what they call themselves. */
export async function listOthers(connection: pg.Client): Promise<{ name: string; count: number }[]> {
  const { rows } = await connection.query(
    `select application_name as name, count(*)::integer as count from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and application_name in ('almanac', 'almanac backup')
      group by 1 order by 1`,
  );
  return rows;
}

/** How many accounts and records a database has, of tables that are there. */
export async function countContent(
  connection: pg.Client,
  kinds: readonly string[],
): Promise<{ accounts: number; records: number }> {
  const count = async (tables: readonly string[]) => {
    const { rows } = await connection.query<{ name: string }>(
      `select relname::text as name from pg_class c where ${OURS}`,
      [tables],
    );
    let sum = 0;
    for (const { name } of rows) {
      const counted = await connection.query(
        `select count(*)::integer as count from ${pg.escapeIdentifier(name)}`,
      );
      sum += counted.rows[0].count;
    }
    return sum;
  };
  return {
    accounts: await count(["users"]),
    records: await count([...kinds, "servers", "donate_items", "relations"]),
  };
}
