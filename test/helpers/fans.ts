import type { Knex } from "knex";
import { addLostJobs } from "../../src/notifications/deliveries-queries.ts";

/**
 * Users who want a mail of each discount, items, and a favorite of each user for about seven of ten items. Ids are
 * `user-1` … (by name) and `item-1` ….
 */
export async function addFans(db: Knex, users: number, items: number): Promise<void> {
  await db.raw(
    `with fan as (
       insert into users (name, name_key, password_hash, email, confirmed_email)
       select 'user-' || n, 'user-' || n, '$argon2id$none', 'user-' || n || '@example.test', 'user-' || n || '@example.test'
         from generate_series(1, ?::int) n returning id)
     insert into notification_settings (user_id, email) select id, 'each' from fan`,
    [users],
  );
  await db.raw(
    `insert into donate_items (id, name, price, currency)
     select 'item-' || n, 'Item ' || n, 100 + n, 'EUR' from generate_series(1, ?::int) n`,
    [items],
  );
  await db.raw(
    `insert into donate_favorites (user_id, item_key)
     select users.id, item.id from users, donate_items item
      where hashtext(users.name || item.id) % 10 between -6 and 6 and users.name like 'user-%'`,
  );
}

/** A discount of each item, which begin one after the other within so many seconds and have no end. */
export async function addDiscountsOfAll(db: Knex, withinS: number): Promise<void> {
  await db.raw(
    `insert into discounts (id, item_key, percent, starts_at)
     select 'sale of ' || id, id, 20, now() + make_interval(secs => ?::float * random()) from donate_items`,
    [withinS],
  );
}

/** Pairs of user and discount that should have one notification and have none or several. */
export async function wrongPairs(
  db: Knex,
): Promise<{ user_id: number; discount_id: string; notifications: number }[]> {
  const { rows } = await db.raw(`
    select favorite.user_id, discount.id as discount_id, count(notification.id)::int as notifications
      from donate_favorites favorite join discounts discount on discount.item_key = favorite.item_key
        left join notifications notification
          on notification.user_id = favorite.user_id and notification.discount_id = discount.id
     group by favorite.user_id, discount.id having count(notification.id) <> 1`);
  return rows;
}

/**
 * Makes waiting jobs and held webhooks due now, because their pauses grow to hours. Deliveries that lost their job with
 * a process get another one, which the site adds after a quarter of an hour.
 */
export async function letTimePass(db: Knex): Promise<void> {
  await db.raw(
    `update graphile_worker._private_jobs set run_at = now()
      where locked_at is null and run_at > now() and (attempts > 0 or key like 'delivery:%')`,
  );
  await db("webhooks").update({ hold_until: null });
  await db("deliveries")
    .where({ state: "waiting" })
    .update({ created_at: db.raw("now() - interval '16 minutes'") });
  await addLostJobs(db);
}
