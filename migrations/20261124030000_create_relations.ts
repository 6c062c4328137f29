import type { Knex } from "knex";

const EVENTS = ["insert", "update", "delete", "truncate"];

/**
 * Relations between entries: `from` is `kind` (made of, sold at) `to`. Both ends are ids without a foreign key, because
 * an entry may come later and from another file.
 *
 * An import compares by `id`, which joins both ends and the kind. The column `position` orders the relations of one
 * kind from one entry. Each index has the order of a page.
 *
 * `relation_changes` works as `shop_changes` does: one row for each statement that changed relations.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table relations (
      id text collate "C" primary key check (id <> ''),
      from_kind text collate "C" not null,
      from_id text collate "C" not null,
      kind text collate "C" not null check (kind <> ''),
      to_kind text collate "C" not null,
      to_id text collate "C" not null,
      count numeric check (count > 0),
      chance numeric check (chance between 0 and 1),
      position integer not null default 1,
      demo boolean not null default false,
      revision integer not null default 1 check (revision > 0),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      check (updated_at >= created_at)
    )`);
  await knex.raw(
    "create index relations_from on relations (from_kind, from_id, kind, position, to_kind, to_id)",
  );
  await knex.raw("create index relations_to on relations (to_kind, to_id, kind, from_kind, from_id)");
  await knex.raw(`
    create table relation_changes (
      id bigint generated always as identity primary key,
      at timestamptz not null default now()
    )`);
  await knex.raw(`
    create function note_relation_change() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'TRUNCATE' then
        if not exists (select from touched) then return null; end if;
      end if;
      insert into relation_changes default values;
      return null;
    end $$`);
  for (const event of EVENTS) await addTrigger(knex, event);
}

async function addTrigger(knex: Knex, event: string): Promise<void> {
  const rows = { delete: "referencing old table as touched", truncate: "" }[event];
  await knex.raw(`
    create trigger note_${event} after ${event} on relations ${rows ?? "referencing new table as touched"}
    for each statement execute function note_relation_change()`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable("relations");
  await knex.raw("drop function note_relation_change()");
  await knex.schema.dropTable("relation_changes");
}
