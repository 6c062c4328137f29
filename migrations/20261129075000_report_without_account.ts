import type { Knex } from "knex";

/** Marks reports without an account. Others that have no user are of deleted accounts. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("alter table suggestions add column anonymous boolean not null default false");
}

/** Shows reports without an account as those of deleted accounts. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw("alter table suggestions drop column anonymous");
}
