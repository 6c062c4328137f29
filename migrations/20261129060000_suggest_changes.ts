import type { Knex } from "knex";

/**
 * Changes of records that users suggest. The column `fields` has the changed values by the names of the edit form. A
 * suggestion outlives its record and its user's account, and deleting it deletes its notification.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table suggestions (
      id bigint generated always as identity primary key,
      kind text not null,
      entry_id text not null,
      entry_name text not null,
      user_id bigint references users on delete set null,
      fields jsonb not null,
      note text,
      state text not null default 'open' check (state in ('open', 'accepted', 'declined')),
      reason text,
      created_at timestamptz not null default now(),
      decided_at timestamptz,
      check ((state = 'open') = (decided_at is null)))`);
  await knex.raw("create index suggestions_open on suggestions (id) where state = 'open'");
  await knex.raw("create index suggestions_of_user on suggestions (user_id)");
  await knex.raw(`
    alter table notifications
      add column suggestion_id bigint references suggestions on delete cascade,
      drop constraint notifications_about,
      add constraint notifications_about check (
        case num_nonnulls(crossing_id, suggestion_id)
          when 0 then item_name is not null and new_price is not null and currency is not null
          when 1 then num_nonnulls(discount_id, item_key, item_name, old_price, new_price, currency, ends_at) = 0
          else false end)`);
  await knex.raw(
    "create index notifications_of_suggestion on notifications (suggestion_id) where suggestion_id is not null",
  );
}

/** Loses the suggestions and their notifications. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw("delete from notifications where suggestion_id is not null");
  await knex.raw(`
    alter table notifications
      drop constraint notifications_about,
      drop column suggestion_id,
      add constraint notifications_about check (
        case when crossing_id is null then item_name is not null and new_price is not null and currency is not null
             else num_nonnulls(discount_id, item_key, item_name, old_price, new_price, currency, ends_at) = 0 end)`);
  await knex.raw("drop table suggestions");
}
