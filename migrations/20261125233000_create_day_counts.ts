import type { Knex } from "knex";

/**
 * How often something happened on a day of UTC, without who it was: pages of entries that were looked at (topic
 * `visit:items`, the id as name), and searches without a hit (topic `missed`, the words as name).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table day_counts (
      topic text not null,
      name text not null,
      day date not null,
      count integer not null check (count > 0),
      primary key (topic, day, name)
    )`);
  await knex.raw("create index day_counts_day on day_counts (day)");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("drop table day_counts");
}
