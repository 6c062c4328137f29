import type { Knex } from "knex";

/** How many bots play on a server, if the game tells them apart from people. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("alter table servers add column bots integer check (bots >= 0)");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("alter table servers drop column bots");
}
