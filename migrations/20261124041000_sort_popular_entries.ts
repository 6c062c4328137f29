import type { Knex } from "knex";

/** Later calls of `add_catalogue_kind` copy the index from `scripts`. */
const KINDS = ["items", "vehicles", "scripts", "houses", "businesses"];

/** The popular entries of a category, because an entry's page selects related ones among them. */
export async function up(knex: Knex): Promise<void> {
  for (const kind of KINDS) {
    await knex.raw(`create index ${kind}_popular on ${kind} (category, popularity desc nulls last, id)`);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const kind of KINDS) await knex.raw(`drop index ${kind}_popular`);
}
