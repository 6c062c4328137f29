import type { Knex } from "knex";

const KINDS = ["items", "vehicles", "scripts", "houses", "businesses"];
const PLACED_KINDS = ["houses", "businesses"];

/**
 * Names in the order that people expect: `eCola` beside `Ecto`, `Ёлка` beside `Ель`, `9mm` before `10mm`. A database
 * built without ICU keeps the order by code point.
 *
 * ICU's order may change a little with its version. These indexes only sort and none is unique, so until `reindex` the
 * worst effect is two names in swapped positions.
 * https://www.postgresql.org/docs/current/collation.html#ICU-CUSTOM-COLLATIONS
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    do $$ begin
      create collation name_order (provider = icu, locale = 'und-u-kn');
    exception when feature_not_supported or invalid_parameter_value then
      create collation name_order from "C";
    end $$`);
  await indexNames(knex, "name_order");
}

export async function down(knex: Knex): Promise<void> {
  await indexNames(knex, '"C"');
  await knex.raw("drop collation name_order");
}

async function indexNames(knex: Knex, collation: string): Promise<void> {
  for (const kind of KINDS) {
    await knex.raw(`drop index ${kind}_name, ${kind}_category`);
    await knex.raw(`create index ${kind}_name on ${kind} (name collate ${collation}, id)`);
    await knex.raw(`create index ${kind}_category on ${kind} (category, name collate ${collation}, id)`);
  }
  for (const kind of PLACED_KINDS) {
    await knex.raw(`
      drop index ${kind}_placed;
      create index ${kind}_placed on ${kind} (popularity desc nulls last, name collate ${collation}, id)
        include (category) where place_among(attributes) is not null`);
  }
}
