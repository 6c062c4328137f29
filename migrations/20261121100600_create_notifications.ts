import type { Knex } from "knex";

/**
 * One notification per user and discount: the unique key guarantees "exactly once" across processes, retries and
 * restarts. The notification keeps its text, so it stays readable after its discount is gone.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table notifications (
      id bigint generated always as identity primary key,
      user_id bigint not null references users on delete cascade,
      discount_id text collate "C" references discounts on delete set null,
      item_key text collate "C" references donate_items on delete set null,
      item_name text not null,
      old_price numeric(14, 2),
      new_price numeric(14, 2) not null,
      currency text not null,
      ends_at timestamptz,
      created_at timestamptz not null default now(),
      read_at timestamptz,
      unique (user_id, discount_id)
    )`);
  await knex.raw("create index notifications_user_id on notifications (user_id, created_at desc, id desc)");
  await knex.raw("create index notifications_discount_id on notifications (discount_id)");
  await knex.raw("create index notifications_item_key on notifications (item_key)");
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable("notifications");
}
