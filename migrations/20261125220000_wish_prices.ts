import type { Knex } from "knex";

/**
 * A favorite of the shop may have a wished price. Its user is then told once each time that the item comes down to it, by
 * a discount or by itself, and not of other discounts. `wish_met` says that it is down there, so that nobody is told
 * twice. A wish counts in its currency only.
 *
 * A notification keeps the wish that it answers, and the low that its price was at when it was made. One of a wish has no
 * discount where the regular price came down, and the same discount may answer a wish again.
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

/** Notifications of wishes are lost. */
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
