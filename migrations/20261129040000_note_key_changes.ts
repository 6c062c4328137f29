import type { Knex } from "knex";

/** Changes that end a key or change what it may do. Its use and its expiry do neither. */
const CHANGES = {
  api_keys: ["update of revoked_at, expires_at, scopes", "delete"],
  api_key_grants: ["insert", "update of ends_at", "delete"],
};

/**
 * `key_changes` works as `shop_changes` does: processes that see new rows look their keys up again. New keys need no
 * row, because no process has looked them up yet.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table key_changes (
      id bigint generated always as identity primary key,
      at timestamptz not null default now()
    )`);
  await knex.raw(`
    create function note_key_change() returns trigger language plpgsql as $$
    begin
      insert into key_changes default values;
      return null;
    end $$`);
  for (const [table, events] of Object.entries(CHANGES)) {
    await knex.raw(`
      create trigger note_key_change after ${events.join(" or ")} on ${table}
      for each row execute function note_key_change()`);
    await knex.raw(`
      create trigger note_truncate after truncate on ${table}
      for each statement execute function note_key_change()`);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const table of Object.keys(CHANGES)) {
    await knex.raw(`drop trigger note_key_change on ${table}`);
    await knex.raw(`drop trigger note_truncate on ${table}`);
  }
  await knex.raw("drop function note_key_change()");
  await knex.schema.dropTable("key_changes");
}
