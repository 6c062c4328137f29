import type { Knex } from "knex";

/** How many requests were made with each key. Each process writes its count once a minute, so the total lags. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("alter table api_keys add column requests bigint not null default 0");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("alter table api_keys drop column requests");
}
