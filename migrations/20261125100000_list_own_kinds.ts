import type { Knex } from "knex";

/**
 * The kinds that an operator's vocabulary has defined, each with a table made by `add_catalogue_kind`. A kind removed
 * from the vocabulary stays here with its table. A migration that changes the tables of all kinds has to change these
 * too.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table own_kinds (
      kind text collate "C" primary key,
      one text collate "C" not null unique,
      created_at timestamptz not null default now()
    )`);
}

export async function down(knex: Knex): Promise<void> {
  const kinds: { kind: string; one: string }[] = await knex("own_kinds").select("kind", "one");
  for (const { kind, one } of kinds) await knex.raw("select remove_catalogue_kind(?, ?)", [kind, one]);
  await knex.schema.dropTable("own_kinds");
}
