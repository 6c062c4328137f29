import type { Knex } from "knex";

/**
 * When a session was last used; SESSION_IDLE_DAYS counts from then. For existing sessions only their end is known. It
 * stays, and they count as used now.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("alter table sessions add column used_at timestamptz not null default now()");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("alter table sessions drop column used_at");
}
