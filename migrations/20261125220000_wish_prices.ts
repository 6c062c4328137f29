import type { Knex } from "knex";

/**
 * A favorite shop item may have a target price. Its user is then notified each time that the price falls to it, with or
 * without a discount, and of no other discount. The column `wish_met` marks that the price has, which prevents repeats.
 * A target applies to its currency only.
 *
 * A notification stores the target and whether the price was the lowest. It has no discount if the regular price fell,
 * and the same discount may match a target again.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table donate_favorites
      add column wish numeric(14, 2) check (wish >= 0),
      add column wish_currency text,
      add column wish_met boolean not null default false,
      add constraint donate_favorites_wish check (num_nonnulls(wish, wish_currency) <> 1)`);
  await knex.raw(
    "create index donate_favorites_wished on donate_favorites (item_key) where wish is not null",
  );
  await knex.raw(`
    alter table notifications
      add column low text check (low in ('ever', 'lately')),
      add column wish numeric(14, 2),
      drop constraint notifications_once`);
  await knex.raw(
    "create unique index notifications_once on notifications (user_id, discount_id, run) where wish is null",
  );
}

/** Loses the notifications about target prices. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw("delete from notifications where wish is not null");
  await knex.raw("drop index notifications_once");
  await knex.raw(`
    alter table notifications
      drop column low,
      drop column wish,
      add constraint notifications_once unique (user_id, discount_id, run)`);
  await knex.raw("drop index donate_favorites_wished");
  await knex.raw(`
    alter table donate_favorites
      drop constraint donate_favorites_wish,
      drop column wish,
      drop column wish_currency,
      drop column wish_met`);
}
