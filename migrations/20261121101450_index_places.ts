import type { Knex } from "knex";

const KINDS = ["houses", "businesses"];

/**
 * Entries with a position on the map, the most popular first. The index alone answers counts and filters by category.
 */
export async function up(knex: Knex): Promise<void> {
  for (const kind of KINDS) {
    await knex.raw(`
      create index ${kind}_placed on ${kind} (popularity desc nulls last, name collate "C", id)
        include (category) where place_among(attributes) is not null`);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const kind of KINDS) await knex.raw(`drop index ${kind}_placed`);
}
