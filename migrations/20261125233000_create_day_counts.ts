import type { Knex } from "knex";

/**
 * Anonymous counts per UTC day: views of an entry (topic `visit:items`, name: its id) and searches without a hit (topic
 * `missed`, name: the words).
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
