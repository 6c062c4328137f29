import type { Knex } from "knex";

const KINDS = ["items", "vehicles", "scripts", "houses", "businesses"];

/**
 * `locked` has the fields of a record that imports leave alone, by their names in the edit form (`names.ru`), and
 * `locked_at` the time when that was changed last. They are columns, so that a tombstone and what an undo restores have
 * them too. The index keeps imports fast that meet no locked record.
 *
 * `merged_into` has the record that a removed one was merged into. `imports.merge` has the ids of a merge, and the rows
 * of other tables that it moved, or null if it was undone by this import.
 */
export async function up(knex: Knex): Promise<void> {
  for (const kind of await kinds(knex)) {
    await knex.raw(`
      alter table ${kind} add column locked text[] collate "C" not null default '{}', add column locked_at timestamptz`);
    await knex.raw(`create index ${kind}_locked on ${kind} (id) where locked <> '{}'`);
  }
  await knex.raw('alter table catalogue_tombstones add column merged_into text collate "C"');
  await knex.raw("alter table imports add column merge jsonb");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("alter table imports drop column merge");
  await knex.raw("alter table catalogue_tombstones drop column merged_into");
  for (const kind of await kinds(knex))
    await knex.raw(`alter table ${kind} drop column locked, drop column locked_at`);
}

async function kinds(knex: Knex): Promise<string[]> {
  return [...KINDS, ...(await knex("own_kinds").pluck("kind"))];
}
