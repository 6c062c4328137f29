import type { Knex } from "knex";

/**
 * A discount's title in each language, like a record's `names`. `title` serves users whose language is missing. If it
 * is also in `titles`, its language is known.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    "alter table discounts add column titles jsonb not null default '{}' check (jsonb_typeof(titles) = 'object')",
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("alter table discounts drop column titles");
}
