import type { Knex } from "knex";

/** Columns of favorites that were missing, each with its table. */
const COLUMNS = { vehicle_id: "vehicles", script_id: "scripts" };

/** Lets vehicles and scripts be favorites too, as `add_catalogue_kind` does for a new kind. */
export async function up(knex: Knex): Promise<void> {
  await dropDerived(knex);
  for (const [column, table] of Object.entries(COLUMNS)) {
    await knex.raw(
      `alter table entity_favorites add column ${column} text collate "C" references ${table} on delete cascade`,
    );
    await knex.raw(
      `create index entity_favorites_${column} on entity_favorites (${column}) where ${column} is not null`,
    );
  }
  await knex.raw("select set_favorite_kinds()");
}

export async function down(knex: Knex): Promise<void> {
  await dropDerived(knex);
  for (const column of Object.keys(COLUMNS)) {
    await knex("entity_favorites").whereNotNull(column).delete();
    await knex.raw(`alter table entity_favorites drop column ${column}`);
  }
  await knex.raw("select set_favorite_kinds()");
}

/** Drops the generated columns, which `set_favorite_kinds` creates again from those of the kinds. */
async function dropDerived(knex: Knex): Promise<void> {
  await knex.raw(
    "alter table entity_favorites drop column kind, drop column entity_id, drop constraint entity_favorites_one",
  );
}
