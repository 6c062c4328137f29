import type { Knex } from "knex";

/** How many requests each key was used for. Written once a minute by each process, so it grows with a delay. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("alter table api_keys add column requests bigint not null default 0");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("alter table api_keys drop column requests");
}
