import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import type { DiscountTerms } from "../donate/prices.ts";
import type { NewDelivery } from "./deliveries-queries.ts";

/** A discount that runs, with its item as it is now. Prices are decimal texts. */
export interface RunningDiscount extends DiscountTerms {
  id: string;
  run: number;
  item_key: string;
  item_name: string;
  item_price: string | null;
  currency: string;
  ends_at: Date | null;
}

/** Gives up before Postgres looks for deadlocks (after 1 s): telling can be done a little later as well. */
const LOCK_TIMEOUT = "900ms";

/** The clock itself, not the beginning of the transaction, which may have waited for a lock since. */
const RUNS_NOW =
  "discount.starts_at <= clock_timestamp() and (discount.ends_at is null or discount.ends_at > clock_timestamp())";

/** Discounts that run and were not told to everybody yet. */
export async function listUntold(db: Db): Promise<RunningDiscount[]> {
  return runningDiscounts(db).whereNull("discount.told_at").orderBy(["discount.starts_at", "discount.id"]);
}

/** Those of these keys whose job is at work. */
export async function listKeysAtWork(db: Db, keys: string[]): Promise<Set<string>> {
  const { rows } = await db.raw(
    "select key from graphile_worker.jobs where key = any(?) and locked_at is not null",
    [keys],
  );
  return new Set(rows.map(({ key }: { key: string }) => key));
}

/** One discount if it runs; held as it is until the transaction ends, its item too. */
export async function holdDiscount(transaction: Db, id: string): Promise<RunningDiscount | undefined> {
  await transaction.raw(`set local lock_timeout to '${LOCK_TIMEOUT}'`);
  return runningDiscounts(transaction).where("discount.id", id).forShare("discount", "item").first();
}

/** Likewise all that run of an item, without those that are just being changed: their ids come beside. */
export async function holdDiscountsOf(
  transaction: Db,
  itemKey: string,
): Promise<{ held: RunningDiscount[]; changing: string[] }> {
  const all = await runningDiscounts(transaction).where("discount.item_key", itemKey).pluck("discount.id");
  if (all.length === 0) return { held: [], changing: [] };
  const held: RunningDiscount[] = await runningDiscounts(transaction)
    .whereRaw("discount.id = any(?)", [all])
    .orderBy("discount.id")
    .forShare("discount", "item")
    .skipLocked();
  return { held, changing: all.filter((id) => !held.some((discount) => discount.id === id)) };
}

/**
 * Returns once every favorite of the item that was being added has been committed or taken back. Adding one holds the
 * item's row, by its foreign key, in a way that this lock has to wait for.
 */
export async function waitForToggles(db: Knex, itemKey: string): Promise<void> {
  await db.transaction(async (transaction) => {
    await transaction.raw(`set local lock_timeout to '${LOCK_TIMEOUT}'`);
    await transaction("donate_items").where({ id: itemKey }).forUpdate().select("id");
  });
}

/** What came of one statement of telling. */
export interface Told {
  /** The last user that was looked at; null: there was none. */
  last: number | null;
  /** Notices that are new. */
  notices: number;
  deliveries: NewDelivery[];
}

/** Tells the next users, by their ids, who have the item as a favorite; at most `limit` of them. */
export async function tellPage(
  transaction: Db,
  discount: RunningDiscount,
  newPrice: string,
  { after, limit }: { after: number; limit: number },
): Promise<Told> {
  const page = transaction("donate_favorites")
    .where({ item_key: discount.item_key })
    .where("user_id", ">", after)
    .orderBy("user_id")
    .limit(limit)
    .select("user_id");
  return insertNotices(transaction, discount, newPrice, page);
}

/** Tells one user. */
export async function tellOne(
  transaction: Db,
  discount: RunningDiscount,
  newPrice: string,
  userId: number,
): Promise<Told> {
  return insertNotices(
    transaction,
    discount,
    newPrice,
    transaction("users").where({ id: userId }).select("id as user_id"),
  );
}

/** Notes that everybody was told, unless the discount has become another one since. */
export async function markTold(db: Db, { id, run }: RunningDiscount): Promise<void> {
  await db("discounts").where({ id, run }).whereNull("told_at").update({ told_at: db.fn.now() });
}

/**
 * One statement: the notices of a page of users, and a delivery for each channel that a user has on. The unique key on
 * user, discount and run is what makes "once" true, whoever does this at the same moment.
 */
async function insertNotices(
  transaction: Db,
  discount: RunningDiscount,
  newPrice: string,
  page: Knex.QueryBuilder,
): Promise<Told> {
  const { rows } = await transaction.raw(
    `with page as (:page),
     notice as (
       insert into notifications (user_id, discount_id, run, item_key, item_name, old_price, new_price, currency, ends_at)
       select user_id, :id, :run, :item_key, :item_name, :item_price, :newPrice, :currency, :ends_at from page
       on conflict on constraint notifications_once do nothing
       returning id, user_id),
     delivery as (
       insert into deliveries (notification_id, user_id, channel, subscription_id)
       select notice.id, notice.user_id, way.channel, way.subscription_id
         from notice join notification_settings setting using (user_id) join users on users.id = notice.user_id
           cross join lateral (
             select case setting.email when 'daily' then 'digest' else 'email' end as channel, cast(null as bigint) as subscription_id
              where setting.email <> 'off' and users.confirmed_email is not null
             union all
             select 'push', id from push_subscriptions where user_id = notice.user_id and setting.push) way
       returning id, user_id, channel)
     select (select max(user_id) from page) as last, (select count(*) from notice) as notices,
            (select coalesce(json_agg(d), '[]') from (
               select delivery.*, setting.digest_hour, users.time_zone
                 from delivery join notification_settings setting using (user_id) join users on users.id = user_id) d
            ) as deliveries`,
    { ...discount, newPrice, page },
  );
  return rows[0];
}

function runningDiscounts(db: Db): Knex.QueryBuilder {
  return db("discounts as discount")
    .join("donate_items as item", "item.id", "discount.item_key")
    .whereRaw(RUNS_NOW)
    .select("discount.id", "discount.run", "discount.item_key", "discount.percent", "discount.price")
    .select("discount.ends_at", "item.name as item_name", "item.price as item_price", "item.currency");
}
