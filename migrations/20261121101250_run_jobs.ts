import type { Knex } from "knex";

/**
 * Tables that jobs need and that are not in the queue's own schema, which src/db/migrate.ts installs. A worker pool
 * that is killed leaves its jobs locked. The table `job_pools` lists the pools that are alive, and `job_watch` the time
 * since which pools have reported without a gap.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table job_pools (
      id text primary key,
      seen_at timestamptz not null default now()
    )`);
  await knex.raw(`
    create table job_watch (
      only_row boolean primary key default true check (only_row),
      since timestamptz not null,
      seen_at timestamptz not null
    )`);
  // Users are notified in the order of their ids, page by page.
  await knex.raw("create index donate_favorites_by_item on donate_favorites (item_key, user_id)");
  await knex.raw("drop index donate_favorites_item_key");
  await knex.raw(`
    create function reconsider_discounts() returns trigger language plpgsql as $$
    begin
      update discounts set told_at = null, telling = telling + 1
       where item_key = new.id and (ends_at is null or ends_at > now())
         and (told_at is not null or starts_at <= clock_timestamp());
      return null;
    end $$`);
  // Whether a discount is worth a notification depends on the item's price too. Users whose favorites came before the
  // price changed are still to be notified.
  await knex.raw(`
    create trigger reconsider_discounts after update of price, currency on donate_items
    for each row when ((new.price, new.currency) is distinct from (old.price, old.currency))
    execute function reconsider_discounts()`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("drop schema if exists graphile_worker cascade");
  await knex.raw("drop trigger reconsider_discounts on donate_items");
  await knex.raw("drop function reconsider_discounts()");
  await knex.raw("create index donate_favorites_item_key on donate_favorites (item_key)");
  await knex.raw("drop index donate_favorites_by_item");
  await knex.schema.dropTable("job_watch");
  await knex.schema.dropTable("job_pools");
}
