import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import { countRows, selectRow, selectRows } from "../db/rows.ts";
import type { DiscountTerms } from "../prices/prices.ts";
import { WAYS } from "./channels.ts";
import type { NewDelivery } from "./deliveries-queries.ts";

/** A discount that runs, with its item as it is now. Prices are decimal texts. */
export interface RunningDiscount extends DiscountTerms {
  id: string;
  run: number;
  /** Another one after every change that may change who is to be told. */
  telling: number;
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

/**
 * Those of these keys whose job is on its way: at work, or due and not tried yet. Who has died while at work is known
 * to be dead after three missed beats, before its jobs are freed: telling twice at once does no harm.
 */
export async function listKeysUnderWay(db: Db, keys: string[]): Promise<Set<string>> {
  const rows = await selectRows<{ key: string }>(
    db,
    `select key from graphile_worker.jobs job
      where key = any(?)
        and case when locked_at is null then attempts = 0 and run_at <= now()
                 else exists (select from job_pools pool
                               where pool.id = job.locked_by and pool.seen_at > now() - interval '15 seconds') end`,
    [keys],
  );
  return new Set(rows.map(({ key }) => key));
}

/**
 * Notes of all discounts that run and whose items are nobody's favorites that everybody was told. Items that somebody
 * is just adding are left out; resolves to how many were noted.
 */
export async function markThoseWithoutFavorites(db: Knex): Promise<number> {
  const lonely = `discount.told_at is null and ${RUNS_NOW}
    and not exists (select from donate_favorites favorite where favorite.item_key = discount.item_key)`;
  return db.transaction(async (transaction) => {
    const rows = await selectRows<{ id: string }>(
      transaction,
      `select discount.id from discounts discount join donate_items item on item.id = discount.item_key
        where ${lonely} order by discount.id
        for no key update of discount skip locked for update of item skip locked`,
    );
    if (rows.length === 0) return 0;
    // Seen anew: a favorite may have come between the look and the lock, and none does any more.
    return countRows(
      transaction,
      `update discounts discount set told_at = now() where id = any(?) and ${lonely}`,
      [rows.map(({ id }) => id)],
    );
  });
}

/** One discount if it runs; held as it is until the transaction ends, its item too. */
export async function holdDiscount(transaction: Db, id: string): Promise<RunningDiscount | undefined> {
  await limitWaiting(transaction);
  return runningDiscounts(transaction).where("discount.id", id).forShare("discount", "item").first();
}

/**
 * Likewise, with nobody else holding either. Resolves once every favorite of the item that was being added has been
 * committed or taken back: adding one holds the item's row, by its foreign key, in a way that this lock waits for.
 */
export async function holdDiscountAlone(transaction: Db, id: string): Promise<RunningDiscount | undefined> {
  await limitWaiting(transaction);
  return runningDiscounts(transaction).where("discount.id", id).forUpdate("discount", "item").first();
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

/** What came of one statement of telling. */
export interface Told {
  /** Users that were looked at. */
  users: number;
  /** The last of them; null: there was none. */
  last: number | null;
  /** Those who are being removed, or are gone by now. */
  passedOver: number;
  /** Notifications that are new. */
  notifications: number;
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
  return insertNotifications(transaction, discount, newPrice, page);
}

/** Tells one user. */
export async function tellOne(
  transaction: Db,
  discount: RunningDiscount,
  newPrice: string,
  userId: number,
): Promise<Told> {
  return insertNotifications(
    transaction,
    discount,
    newPrice,
    transaction("users").where({ id: userId }).select("id as user_id"),
  );
}

/** Notes that everybody was told, unless the discount was changed after it had been read. */
export async function markTold(transaction: Db, { id, telling }: RunningDiscount): Promise<void> {
  await transaction("discounts")
    .where({ id, telling })
    .whereNull("told_at")
    .update({ told_at: transaction.fn.now() });
}

/** Nothing that the transaction does from now on waits for a lock for longer than telling may. */
export async function limitWaiting(transaction: Db): Promise<void> {
  await transaction.raw(`set local lock_timeout to '${LOCK_TIMEOUT}'`);
}

/**
 * One statement: the notifications of a page of users, and a delivery for each channel that a user has on. The unique
 * key on user, discount and run is what makes "once" true, whoever does this at the same moment; users come in one
 * order, so that nobody waits in a circle for the jobs of their daily mails. Who is being removed is passed over.
 */
async function insertNotifications(
  transaction: Db,
  discount: RunningDiscount,
  newPrice: string,
  page: Knex.QueryBuilder,
): Promise<Told> {
  return selectRow<Told>(
    transaction,
    `with page as (:page),
     reader as (
       select users.id as user_id from users join page on users.id = page.user_id for key share of users skip locked),
     notification as (
       insert into notifications (user_id, discount_id, run, item_key, item_name, old_price, new_price, currency, ends_at)
       select user_id, :id, :run, :item_key, :item_name, :item_price, :newPrice, :currency, :ends_at from reader
       on conflict on constraint notifications_once do nothing
       returning id, user_id),
     delivery as (
       insert into deliveries (notification_id, user_id, channel, subscription_id)
       select notification.id, notification.user_id, way.channel, way.subscription_id
         from notification join notification_settings setting using (user_id)
           join users on users.id = notification.user_id
           cross join lateral (${WAYS}) way
       returning id, user_id, channel)
     select (select count(*) from page) as users, (select max(user_id) from page) as last,
            (select count(*) from page) - (select count(*) from reader) as "passedOver",
            (select count(*) from notification) as notifications,
            (select coalesce(json_agg(d order by d.user_id, d.id), '[]') from (
               select delivery.*, setting.digest_hour, users.time_zone
                 from delivery join notification_settings setting using (user_id) join users on users.id = user_id) d
            ) as deliveries`,
    { ...discount, newPrice, page },
  );
}

function runningDiscounts(db: Db): Knex.QueryBuilder {
  return db("discounts as discount")
    .join("donate_items as item", "item.id", "discount.item_key")
    .whereRaw(RUNS_NOW)
    .select("discount.id", "discount.run", "discount.telling", "discount.item_key")
    .select("discount.percent", "discount.price", "discount.ends_at")
    .select("item.name as item_name", "item.price as item_price", "item.currency");
}
