import type { Knex } from "knex";

/** How an API key was used on each UTC day, and its latest failed requests. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table api_key_days (
      key_id bigint not null references api_keys on delete cascade,
      day date not null,
      requests bigint not null,
      refused bigint not null,
      primary key (key_id, day)
    )`);
  await knex.raw("create index api_key_days_day on api_key_days (day)");
  await knex.raw(`
    create table api_key_errors (
      id bigint generated always as identity primary key,
      key_id bigint not null references api_keys on delete cascade,
      at timestamptz not null,
      method text not null,
      path text not null,
      status integer not null,
      problem text,
      params text[] not null
    )`);
  await knex.raw("create index api_key_errors_newest on api_key_errors (key_id, at desc, id desc)");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("drop table api_key_errors");
  await knex.raw("drop table api_key_days");
}
