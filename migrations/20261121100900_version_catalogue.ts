import type { Knex } from "knex";

const KINDS = ["items", "vehicles", "scripts", "houses", "businesses"];

/**
 * A version per kind, raised in the transaction that changes its records: a process that reads a higher version knows
 * that all of the change is visible. Updating the row also serialises the writers of a kind, as imports do anyway.
 *
 * A statement that changes no record raises no version, so importing the same file again rebuilds no search index.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table catalogue_versions (
      kind text primary key,
      version bigint not null default 0
    )`);
  await knex("catalogue_versions").insert(KINDS.map((kind) => ({ kind })));
  await knex.raw(`
    create function count_catalogue_change() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'TRUNCATE' then
        if not exists (select from touched) then return null; end if;
      end if;
      update catalogue_versions set version = version + 1 where kind = tg_table_name;
      return null;
    end $$`);
  for (const kind of KINDS) {
    await addTrigger(knex, kind, "insert", "referencing new table as touched");
    await addTrigger(knex, kind, "update", "referencing new table as touched");
    await addTrigger(knex, kind, "delete", "referencing old table as touched");
    await addTrigger(knex, kind, "truncate", "");
  }
}

async function addTrigger(knex: Knex, kind: string, event: string, rows: string): Promise<void> {
  await knex.raw(`
    create trigger count_${event} after ${event} on ${kind} ${rows}
    for each statement execute function count_catalogue_change()`);
}

export async function down(knex: Knex): Promise<void> {
  for (const kind of KINDS) {
    for (const event of ["insert", "update", "delete", "truncate"]) {
      await knex.raw(`drop trigger count_${event} on ${kind}`);
    }
  }
  await knex.raw("drop function count_catalogue_change()");
  await knex.schema.dropTable("catalogue_versions");
}
