import type { Knex } from "knex";

/**
 * When a session was used last, from which a lowered SESSION_IDLE_DAYS counts. Of the sessions that are there already
 * only their end is known, which stays: they count as used now.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("alter table sessions add column used_at timestamptz not null default now()");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("alter table sessions drop column used_at");
}
