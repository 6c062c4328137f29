import type { Knex } from "knex";

/**
 * A removed discount leaves no row with the time of its removal. The feed needs that time, or clients that send only
 * If-Modified-Since would get 304.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create function remember_removed_discounts() returns trigger language plpgsql as $$
    begin
      if not exists (select from removed) then return null; end if;
      insert into settings (key, value, updated_at) values ('discounts_removed', 'true', now())
      on conflict (key) do update set updated_at = excluded.updated_at;
      return null;
    end $$`);
  await knex.raw(`
    create trigger remember_removed_discounts after delete on discounts referencing old table as removed
    for each statement execute function remember_removed_discounts()`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("drop trigger remember_removed_discounts on discounts");
  await knex.raw("drop function remember_removed_discounts()");
}
