import type { Knex } from "knex";

const KINDS = ["items", "vehicles", "scripts", "houses", "businesses"];

/**
 * `locked` has the fields of a record that imports leave alone, by their names in the edit form (`names.ru`), and
 * `locked_at` the time when that was changed last. They are columns, so that a tombstone and what an undo restores have
 * them too. The index keeps imports fast that meet no locked record.
 *
 * `merged_into` has the record that a removed one was merged into. An import that merges two records, or undoes that,
 * has both ids.
 */
export async function up(knex: Knex): Promise<void> {
  for (const kind of await kinds(knex)) {
    await knex.raw(`
      alter table ${kind} add column locked text[] collate "C" not null default '{}', add column locked_at timestamptz`);
    await knex.raw(`create index ${kind}_locked on ${kind} (id) where locked <> '{}'`);
  }
  await knex.raw('alter table catalogue_tombstones add column merged_into text collate "C"');
  await knex.raw(SUCCESSOR);
  await knex.raw(
    'alter table imports add column merged_from text collate "C", add column merged_into text collate "C"',
  );
}

/** The record that a removed one was merged into, and that in turn, until the last; null for one that was not. */
const SUCCESSOR = `
  create function successor_of(of_kind text, of_id text) returns text language sql stable as $$
    with recursive step as (
      select merged_into as id, 1 as number from catalogue_tombstones where kind = of_kind and id = of_id
      union all
      select t.merged_into, number + 1 from step join catalogue_tombstones t on t.kind = of_kind and t.id = step.id
    )
    select id from step where id is not null order by number desc limit 1
  $$`;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("drop function successor_of(text, text)");
  await knex.raw("alter table imports drop column merged_from, drop column merged_into");
  await knex.raw("alter table catalogue_tombstones drop column merged_into");
  for (const kind of await kinds(knex))
    await knex.raw(`alter table ${kind} drop column locked, drop column locked_at`);
}

async function kinds(knex: Knex): Promise<string[]> {
  return [...KINDS, ...(await knex("own_kinds").pluck("kind"))];
}
