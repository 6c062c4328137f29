import type { Knex } from "knex";

/**
 * What a discount is called in each language, as `names` of records. `title` stays the one for readers whose language has
 * none; where it is among `titles`, its language is known.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    "alter table discounts add column titles jsonb not null default '{}' check (jsonb_typeof(titles) = 'object')",
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("alter table discounts drop column titles");
}
