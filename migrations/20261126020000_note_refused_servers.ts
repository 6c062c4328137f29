import type { Knex } from "knex";

/** The address of a server that is not polled because the site may not connect there, for operators. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("alter table servers add column refused_place text");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("alter table servers drop column refused_place");
}
