import type { Knex } from "knex";

/**
 * Sources whose file is fetched from an address. `validators` identify the file that was imported last. `outcome` is the
 * result of the last fetch. `paused` names what stopped the schedule: an operator, too many failures, or a file that lacks
 * more than half of the records (`gone`).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("alter table import_uploads add column url text, add column validators jsonb");
  await knex.raw(`
    alter table import_sources
      add column id bigint generated always as identity unique,
      add column url text,
      add column validators jsonb,
      add column outcome jsonb,
      add column fetched_at timestamptz,
      add column next_fetch_at timestamptz,
      add column failures integer not null default 0,
      add column paused text check (paused in ('operator', 'failures', 'gone'))`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("alter table import_uploads drop column url, drop column validators");
  await knex.raw(`
    alter table import_sources
      drop column id, drop column url, drop column validators, drop column outcome, drop column fetched_at,
      drop column next_fetch_at, drop column failures, drop column paused`);
}
