import type { Knex } from "knex";

/** Each level's bucket length and the period that one partition covers. The last level has no partitions. */
const LEVELS = [
  { level: "five_minutes", table: "online_five_minutes", bucket: "5 minutes", partition: "day" },
  { level: "hours", table: "online_hours", bucket: "1 hour", partition: "month" },
  { level: "days", table: "online_days", bucket: "1 day", partition: null },
];

/** Days, relative to today, whose partitions exist from the start. Writers create later ones. */
const DAYS = [-2, -1, 0, 1, 2];

/**
 * Adds each server's adapter and polling state, and keeps the history in four levels: the measurements, and sums over
 * five minutes, hours and days. Old measurements are deleted by dropping a partition. Existing ones stay, and the
 * roll-up job processes them from the oldest on.
 */
export async function up(knex: Knex): Promise<void> {
  await addPollerColumns(knex);
  await addPartitioning(knex);
  await partitionRecords(knex);
  for (const { table, partition } of LEVELS) await createLevel(knex, table, partition !== null);
  await startProgress(knex);
}

/** The number is the history's key: in tens of millions of rows, 4 bytes replace a text. */
async function addPollerColumns(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table servers
      add column number integer generated always as identity unique,
      add column adapter text check (adapter in ('gamedig', 'json')),
      add column adapter_options jsonb not null default '{}' check (jsonb_typeof(adapter_options) = 'object'),
      add column poll_slot timestamptz,
      add column missed_polls integer not null default 0 check (missed_polls >= 0),
      add column offline_since timestamptz`);
  // Each row is rewritten once a minute. Free space in its page lets Postgres do so without updating an index.
  await knex.raw("alter table servers set (fillfactor = 70)");
}

/**
 * Creates the missing partitions for a range of times. Attaching a separately created table does not block readers, as
 * "create table … partition of" would. Days and months are those of UTC.
 * https://www.postgresql.org/docs/current/sql-altertable.html#SQL-ALTERTABLE-ATTACH-PARTITION
 */
async function addPartitioning(knex: Knex): Promise<void> {
  // A query instead of to_regclass(), which may return a result cached before it waited for the lock.
  const isThere = `exists (
          select from pg_inherits join pg_class on pg_class.oid = inhrelid
           where inhparent = parent::regclass and relname = name)`;
  await knex.raw(`
    create function ensure_partitions(parent text, step text, times timestamptz[]) returns void
    language plpgsql set timezone to 'UTC' as $$
    declare
      start timestamptz;
      name text;
    begin
      for start in select distinct date_trunc(step, time) from unnest(times) as time order by 1 loop
        name := parent || to_char(start, case step when 'month' then '_YYYYMM' else '_YYYYMMDD' end);
        continue when ${isThere};
        perform pg_advisory_xact_lock(hashtext('ensure_partitions'));
        continue when ${isThere};
        execute format('create table %I (like %I including defaults including constraints)', name, parent);
        execute format('alter table %I attach partition %I for values from (%L) to (%L)',
                       parent, name, start, start + ('1 ' || step)::interval);
      end loop;
    end $$`);
}

async function partitionRecords(knex: Knex): Promise<void> {
  await knex.raw(`
    create temporary table moved_records on commit drop as
    select server.number as server_number, record.checked_at, record.status, record.online, record.queue, record.max_online
      from online_records as record join servers as server on server.id = record.server_id`);
  await knex.raw("drop table online_records");
  await knex.raw(`
    create table online_records (
      checked_at timestamptz not null,
      server_number integer not null references servers (number) on delete cascade,
      online integer check (online >= 0),
      queue integer check (queue >= 0),
      max_online integer check (max_online >= 0),
      status text not null check (status in ('online', 'offline', 'unknown')),
      primary key (server_number, checked_at),
      check (status = 'online' or (online is null and queue is null))
    ) partition by range (checked_at)`);
  await indexTimes(knex, "online_records", "checked_at");
  await knex.raw(
    `select ensure_partitions('online_records', 'day',
       array(select checked_at from moved_records
              union select now() + make_interval(hours => 24 * day) from unnest(?::integer[]) as day))`,
    [DAYS],
  );
  await knex.raw(`
    insert into online_records (server_number, checked_at, status, online, queue, max_online)
    select server_number, checked_at, status, online, queue, max_online from moved_records order by checked_at`);
}

/** A block range index would be smaller, but every search would read all pages that it has not summarised yet. */
async function indexTimes(knex: Knex, table: string, column: string): Promise<void> {
  await knex.raw(`create index on ${table} (${column})`);
}

/**
 * Sums and counts, so that each level can be computed exactly from the one below. The column `known` counts polls that
 * found out whether the server was online, `up` those that found it online. Each `…_count` counts polls that reported a
 * figure.
 */
async function createLevel(knex: Knex, table: string, partitioned: boolean): Promise<void> {
  await knex.raw(`
    create table ${table} (
      start timestamptz not null,
      online_sum bigint not null,
      queue_sum bigint not null,
      server_number integer not null references servers (number) on delete cascade,
      known integer not null,
      up integer not null,
      online_count integer not null,
      online_min integer,
      online_max integer,
      queue_count integer not null,
      queue_min integer,
      queue_max integer,
      primary key (server_number, start),
      check (up between 0 and known)
    ) ${partitioned ? "partition by range (start)" : ""}`);
  await indexTimes(knex, table, "start");
}

/** Every bucket that starts before `done_until` is rolled up. */
async function startProgress(knex: Knex): Promise<void> {
  await knex.raw(`
    create table history_progress (
      level text primary key check (level in ('five_minutes', 'hours', 'days')),
      done_until timestamptz not null
    )`);
  for (const { level, bucket } of LEVELS) {
    await knex.raw(
      `insert into history_progress (level, done_until)
       select ?, date_bin(?::interval, coalesce(min(checked_at), now()), 'epoch') from online_records`,
      [level, bucket],
    );
  }
}

/** Loses the rolled-up history. The measurements that still exist stay. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    create temporary table moved_records on commit drop as
    select server.id as server_id, record.checked_at, record.status, record.online, record.queue, record.max_online
      from online_records as record join servers as server on server.number = record.server_number`);
  for (const table of ["history_progress", "online_records", ...LEVELS.map(({ table }) => table)]) {
    await knex.schema.dropTable(table);
  }
  await knex.raw("drop function ensure_partitions(text, text, timestamptz[])");
  await restoreRecords(knex);
  await knex.raw(`
    alter table servers reset (fillfactor), drop column number, drop column adapter, drop column adapter_options,
      drop column poll_slot, drop column missed_polls, drop column offline_since`);
}

async function restoreRecords(knex: Knex): Promise<void> {
  await knex.raw(`
    create table online_records (
      server_id text collate "C" not null references servers on delete cascade,
      checked_at timestamptz not null,
      status text not null check (status in ('online', 'offline', 'unknown')),
      online integer check (online >= 0),
      queue integer check (queue >= 0),
      max_online integer check (max_online >= 0),
      primary key (server_id, checked_at),
      check (status = 'online' or (online is null and queue is null))
    )`);
  await knex.raw(`
    insert into online_records (server_id, checked_at, status, online, queue, max_online)
    select server_id, checked_at, status, online, queue, max_online from moved_records`);
  await knex.raw("create index online_records_checked_at on online_records (checked_at)");
}
