import type { Knex } from "knex";

/**
 * A server's definition with its current state, and one row in `online_records` per measurement. Unknown figures are
 * null, never 0. `last_online_at` outlives the records that it was computed from.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table servers (
      id text collate "C" primary key check (id <> '' and char_length(id) <= 200),
      name text not null check (name <> '' and char_length(name) <= 300),
      game text check (game <> ''),
      address text check (address <> ''),
      url text check (url <> ''),
      language text check (language <> ''),
      description text check (description <> ''),
      attributes jsonb not null default '{}' check (jsonb_typeof(attributes) = 'object'),
      position integer,
      online integer check (online >= 0),
      queue integer check (queue >= 0),
      max_online integer check (max_online >= 0),
      status text not null default 'unknown' check (status in ('online', 'offline', 'unknown')),
      checked_at timestamptz,
      last_online_at timestamptz,
      demo boolean not null default false,
      revision integer not null default 1 check (revision > 0),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      check (updated_at >= created_at),
      check (status = 'unknown' or checked_at is not null)
    )`);
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
  await knex.raw("create index online_records_checked_at on online_records (checked_at)");
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable("online_records");
  await knex.schema.dropTable("servers");
}
