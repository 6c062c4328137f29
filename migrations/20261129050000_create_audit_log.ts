import type { Knex } from "knex";

/** Who changed what, from where, and the value before. Each row is written in the transaction of its change. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table audit_log (
      id bigint generated always as identity primary key,
      at timestamptz not null default clock_timestamp(),
      user_id bigint references users on delete set null,
      user_name text,
      via text not null check (via in ('site', 'api', 'command')),
      ip text,
      request_id text,
      action text not null,
      subject text collate "C",
      before jsonb,
      after jsonb,
      note text
    )`);
  await knex.raw("create index on audit_log (at)");
  await knex.raw("create index on audit_log (user_id)");
  await knex.raw("create index on audit_log (subject, id desc)");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("drop table audit_log");
}
