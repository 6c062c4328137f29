import type { Knex } from "knex";

/** Descriptions of servers in other languages, as records of the catalogue have them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    "alter table servers add column descriptions jsonb not null default '{}' check (jsonb_typeof(descriptions) = 'object')",
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("alter table servers drop column descriptions");
}
