import type { Knex } from "knex";

/**
 * The catalogue's entry that a shop item is or unlocks. It is no foreign key, because the shop may be imported before
 * the catalogue, and keeps its items while an entry is missing.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table donate_items
      add column entity_kind text check (entity_kind in ('item', 'vehicle', 'script', 'house', 'business')),
      add column entity_id text collate "C" check (entity_id <> '' and char_length(entity_id) <= 200),
      add constraint donate_items_entity check ((entity_kind is null) = (entity_id is null))`);
  await knex.raw(
    "create index donate_items_entity on donate_items (entity_kind, entity_id) where entity_id is not null",
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("alter table donate_items drop column entity_kind, drop column entity_id");
}
