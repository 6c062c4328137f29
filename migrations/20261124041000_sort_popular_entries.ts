import type { Knex } from "knex";

/** Kinds that a later call of `add_catalogue_kind` adds have it from `scripts`. */
const KINDS = ["items", "vehicles", "scripts", "houses", "businesses"];

/** The popular entries of a category, which an entry's page compares with the entry to find related ones. */
export async function up(knex: Knex): Promise<void> {
  for (const kind of KINDS) {
    await knex.raw(`create index ${kind}_popular on ${kind} (category, popularity desc nulls last, id)`);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const kind of KINDS) await knex.raw(`drop index ${kind}_popular`);
}
