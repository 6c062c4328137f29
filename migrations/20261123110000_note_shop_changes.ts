import type { Knex } from "knex";

const TABLES = ["donate_items", "discounts"];

/**
 * One row for each statement that changed the shop, in its transaction. A process that reads another set of rows than
 * before knows that something is new. Rows are only added, so writers never wait for each other here. A counter in one
 * row would let an import and a form deadlock if they lock items in different orders.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table shop_changes (
      id bigint generated always as identity primary key,
      at timestamptz not null default now()
    )`);
  await knex.raw(`
    create function note_shop_change() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'TRUNCATE' then
        if not exists (select from touched) then return null; end if;
      end if;
      insert into shop_changes default values;
      return null;
    end $$`);
  for (const table of TABLES) {
    await addTrigger(knex, table, "insert", "referencing new table as touched");
    await addTrigger(knex, table, "update", "referencing new table as touched");
    await addTrigger(knex, table, "delete", "referencing old table as touched");
    await addTrigger(knex, table, "truncate", "");
  }
}

async function addTrigger(knex: Knex, table: string, event: string, rows: string): Promise<void> {
  await knex.raw(`
    create trigger note_${event} after ${event} on ${table} ${rows}
    for each statement execute function note_shop_change()`);
}

export async function down(knex: Knex): Promise<void> {
  for (const table of TABLES) {
    for (const event of ["insert", "update", "delete", "truncate"]) {
      await knex.raw(`drop trigger note_${event} on ${table}`);
    }
  }
  await knex.raw("drop function note_shop_change()");
  await knex.schema.dropTable("shop_changes");
}
