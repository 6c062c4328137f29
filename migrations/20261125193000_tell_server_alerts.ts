import type { Knex } from "knex";

/**
 * A notification is about a discount or, with `crossing_id`, about a favorite server: one for each user and crossing.
 * Deleting the server deletes its notifications. Quiet hours are whole hours in the user's zone, up to but not
 * including `quiet_until`; both are null without quiet hours.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table notifications
      add column crossing_id bigint references server_crossings on delete cascade,
      alter column item_name drop not null,
      alter column new_price drop not null,
      alter column currency drop not null,
      add constraint notifications_of_crossing unique (crossing_id, user_id),
      add constraint notifications_about check (
        case when crossing_id is null then item_name is not null and new_price is not null and currency is not null
             else num_nonnulls(discount_id, item_key, item_name, old_price, new_price, currency, ends_at) = 0 end)`);
  await knex.raw(`
    alter table notification_settings
      add column quiet_from smallint check (quiet_from between 0 and 23),
      add column quiet_until smallint check (quiet_until between 0 and 23),
      add constraint notification_settings_quiet
        check (num_nonnulls(quiet_from, quiet_until) = 0 or quiet_from <> quiet_until and num_nulls(quiet_from, quiet_until) = 0)`);
}

/** Loses the notifications about servers. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw("delete from notifications where crossing_id is not null");
  await knex.raw(`
    alter table notifications
      drop constraint notifications_about,
      drop constraint notifications_of_crossing,
      drop column crossing_id,
      alter column item_name set not null,
      alter column new_price set not null,
      alter column currency set not null`);
  await knex.raw("alter table notification_settings drop column quiet_from, drop column quiet_until");
}
