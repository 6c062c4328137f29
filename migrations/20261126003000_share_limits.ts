import type { Knex } from "knex";

/**
 * Request counts that the processes share (src/web/limits). The table is unlogged, because nothing in it is older than
 * a minute: after a crash of the database all clients start from zero.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create unlogged table limit_windows (
      client text primary key,
      began_at timestamptz not null,
      ends_at timestamptz not null,
      quota integer not null,
      spent integer not null,
      claimed integer not null,
      granted integer not null
    )`);
  await knex.raw("create index limit_windows_ends_at on limit_windows (ends_at)");
  await knex.raw("create unlogged table limit_processes (id text primary key, seen_at timestamptz not null)");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("drop table limit_windows");
  await knex.raw("drop table limit_processes");
}
