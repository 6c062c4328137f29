import type { Knex } from "knex";

/** The tables with a server's history, by its number. */
const HISTORY = ["online_records", "online_five_minutes", "online_hours", "online_days"];

/** Tables whose removed records leave a tombstone if an operator removes them in the browser, with the tombstone's kind. */
const KINDS = { servers: "servers", donate_items: "donate-items" };

/**
 * Servers have groups and can be paused. An operator may remove a server and keep its history: its tombstone has its
 * number, which a server with the same id gets back. So triggers delete the history instead of foreign keys.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table servers
      add column group_name text check (group_name <> ''),
      add column paused_at timestamptz`);
  for (const table of HISTORY)
    await knex.raw("alter table ?? drop constraint ??", [table, `${table}_server_number_fkey`]);
  await knex.raw(`
    create function forget_server_history() returns trigger language plpgsql as $$
    declare history text;
    begin
      foreach history in array array['${HISTORY.join("', '")}'] loop
        if tg_op = 'TRUNCATE' then
          execute format('truncate %I', history);
        else
          execute format(
            'delete from %I h using gone where h.server_number = gone.number
                and not exists (select from catalogue_tombstones t where t.kind = ''servers'' and t.id = gone.id)', history);
        end if;
      end loop;
      return null;
    end $$`);
  await knex.raw(`
    create trigger forget_history after delete on servers referencing old table as gone
    for each statement execute function forget_server_history()`);
  await knex.raw(`
    create trigger forget_all_history after truncate on servers
    for each statement execute function forget_server_history()`);
  await knex.raw(`
    create function restore_server_number() returns trigger language plpgsql as $$
    begin
      new.number := coalesce(
        (select (record ->> 'number')::integer from catalogue_tombstones where kind = 'servers' and id = new.id), new.number);
      return new;
    end $$`);
  await knex.raw(`
    create trigger restore_number before insert on servers
    for each row execute function restore_server_number()`);
  await knex.raw(`
    create function end_tombstones() returns trigger language plpgsql as $$
    begin
      delete from catalogue_tombstones t using added where t.kind = tg_argv[0] and t.id = added.id;
      return null;
    end $$`);
  for (const [table, kind] of Object.entries(KINDS))
    await knex.raw(`
      create trigger end_tombstones after insert on ${table} referencing new table as added
      for each statement execute function end_tombstones('${kind}')`);
}

/** Loses the history of removed servers. */
export async function down(knex: Knex): Promise<void> {
  await knex("catalogue_tombstones").whereIn("kind", Object.values(KINDS)).delete();
  for (const table of Object.keys(KINDS)) await knex.raw("drop trigger end_tombstones on ??", [table]);
  await knex.raw(`
    drop trigger forget_history on servers;
    drop trigger forget_all_history on servers;
    drop trigger restore_number on servers;
    drop function forget_server_history();
    drop function restore_server_number();
    drop function end_tombstones()`);
  for (const table of HISTORY) {
    await knex.raw("delete from ?? where server_number not in (select number from servers)", [table]);
    await knex.raw(
      "alter table ?? add foreign key (server_number) references servers (number) on delete cascade",
      [table],
    );
  }
  await knex.raw("alter table servers drop column group_name, drop column paused_at");
}
