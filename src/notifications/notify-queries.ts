import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import { addJobs, type JobSpec } from "../db/jobs.ts";
import { countRows, limitWaiting, selectRow, selectRows } from "../db/rows.ts";
import type { LowName } from "../records/prices/price-lows.ts";
import type { DiscountTerms } from "../records/prices/prices.ts";
import { WAYS } from "./channels.ts";
import type { NewDelivery } from "./deliveries-queries.ts";

/** A running discount with the current state of its item. Prices are decimal texts. */
export interface RunningDiscount extends DiscountTerms {
  id: string;
  run: number;
  /** Differs after every change that may change who is notified. The column keeps its old name, as does `told_at`. */
  telling: number;
  item_key: string;
  item_name: string;
  item_price: string | null;
  currency: string;
  ends_at: Date | null;
}

/** Gives up before Postgres looks for deadlocks (after 1 s), because notifying can wait a little. */
export const LOCK_TIMEOUT = "900ms";

/** Compares with the clock, not with the start of the transaction, which may have waited for a lock since. */
const RUNS_NOW =
  "discount.starts_at <= clock_timestamp() and (discount.ends_at is null or discount.ends_at > clock_timestamp())";

/** Running discounts that have users to notify. */
export async function listUnnotified(db: Db): Promise<RunningDiscount[]> {
  return runningDiscounts(db).whereNull("discount.told_at").orderBy(["discount.starts_at", "discount.id"]);
}

/**
 * Adds jobs, except those that are running, or due without an attempt yet. A worker counts as dead after three missed
 * heartbeats, before its jobs are freed: notifying twice at once does no harm. Resolves to the number of added jobs.
 */
export async function addIdleJobs(db: Knex, jobs: readonly (JobSpec & { key: string })[]): Promise<number> {
  if (jobs.length === 0) return 0;
  const rows = await selectRows<{ key: string }>(
    db,
    `select key from graphile_worker.jobs job
      where key = any(?)
        and case when locked_at is null then attempts = 0 and run_at <= now()
                 else exists (select from job_pools pool
                               where pool.id = job.locked_by and pool.seen_at > now() - interval '15 seconds') end`,
    [jobs.map(({ key }) => key)],
  );
  const idle = jobs.filter(({ key }) => !rows.some((underWay) => underWay.key === key));
  await addJobs(db, idle);
  return idle.length;
}

/**
 * Marks running discounts of items that are nobody's favorites as done. Skips items that a user is just adding.
 * Resolves to their number.
 */
export async function markWithoutFavorites(db: Knex): Promise<number> {
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
    // Checks again, because a favorite may have been added before the lock.
    return countRows(
      transaction,
      `update discounts discount set told_at = now() where id = any(?) and ${lonely}`,
      [rows.map(({ id }) => id)],
    );
  });
}

/**
 * Locks a running discount and its item against changes until the transaction ends. With `alone`, it also waits for
 * favorites of the item that are being added, and makes later ones wait. Adding one locks the item's row by its foreign
 * key.
 */
export async function holdDiscount(
  transaction: Db,
  id: string,
  { alone }: { alone: boolean },
): Promise<RunningDiscount | undefined> {
  await limitWaiting(transaction, LOCK_TIMEOUT);
  const discount = runningDiscounts(transaction).where("discount.id", id);
  return alone
    ? discount.forUpdate("discount", "item").first()
    : discount.forShare("discount", "item").first();
}

/** Locks the running discounts of an item; `changing` has the ids of those that another transaction is changing. */
export async function holdDiscounts(
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

/** The result of notifying one page of users. */
export interface Notified {
  /** Users in the page. */
  users: number;
  /** The id of the last of them; null if the page was empty. */
  last: number | null;
  /** Users who are being removed or are gone, and those of an alert whose delay has not passed. */
  skipped: number;
  notifications: number;
  deliveries: NewDelivery[];
}

/** The price in a new notification. */
export interface OfferedPrice {
  readonly newPrice: string;
  /** The low that the price is at. */
  readonly low: LowName | null;
}

/**
 * SQL: whether a favorite of the shop has a target price instead of waiting for any discount; takes the item's
 * currency.
 */
const HAS_WISH = "(wish is not null and wish_currency = ?)";

/**
 * Notifies the next users, by id, who have the item as a favorite and wait for any discount; at most `limit` of them.
 */
export async function notifyPage(
  transaction: Db,
  discount: RunningDiscount,
  price: OfferedPrice,
  { after, limit }: { after: number; limit: number },
): Promise<Notified> {
  const page = transaction("donate_favorites")
    .where({ item_key: discount.item_key })
    .where("user_id", ">", after)
    .whereRaw(`not ${HAS_WISH}`, [discount.currency])
    .orderBy("user_id")
    .limit(limit)
    .select("user_id");
  return insertNotifications(transaction, discount, price, page);
}

export async function notifyOne(
  transaction: Db,
  discount: RunningDiscount,
  price: OfferedPrice,
  userId: number,
): Promise<Notified> {
  return insertNotifications(
    transaction,
    discount,
    price,
    transaction("users").where({ id: userId }).select("id as user_id"),
  );
}

/** Marks a discount as announced to all, unless it was changed after it had been read. */
export async function markNotified(transaction: Db, { id, telling }: RunningDiscount): Promise<void> {
  await transaction("discounts")
    .where({ id, telling })
    .whereNull("told_at")
    .update({ told_at: transaction.fn.now() });
}

/**
 * SQL: a part of `with` that creates a delivery of each row `notification` for each of these ways that its user has on,
 * if the condition holds.
 */
export function newDeliveries(ways: string, condition = "true"): string {
  return `delivery as (
       insert into deliveries (notification_id, user_id, channel, subscription_id)
       select notification.id, notification.user_id, way.channel, way.subscription_id
         from notification join notification_settings setting using (user_id)
           join users on users.id = notification.user_id
           cross join lateral (${ways}) way
        where ${condition}
       returning id, user_id, channel)`;
}

/** SQL: those deliveries as a list of `NewDelivery`. */
export const LIST_DELIVERIES = `(select coalesce(json_agg(d order by d.user_id, d.id), '[]') from (
               select delivery.*, setting.digest_hour, users.time_zone
                 from delivery join notification_settings setting using (user_id) join users on users.id = user_id) d)`;

/**
 * Inserts the notifications of a page of users, and a delivery for each channel that a user has on. The unique key on
 * user, discount and run prevents duplicates, even if several processes do this at once. Users are sorted, so that the
 * jobs of daily mails cannot deadlock. Skips users who are being removed.
 */
async function insertNotifications(
  transaction: Db,
  discount: RunningDiscount,
  price: OfferedPrice,
  page: Knex.QueryBuilder,
): Promise<Notified> {
  return selectRow<Notified>(
    transaction,
    `with page as (:page),
     reader as (
       select users.id as user_id from users join page on users.id = page.user_id for key share of users skip locked),
     notification as (
       insert into notifications (user_id, discount_id, run, item_key, item_name, old_price, new_price, low, currency, ends_at)
       select user_id, :id, :run, :item_key, :item_name, :item_price, :newPrice, :low, :currency, :ends_at from reader
       on conflict (user_id, discount_id, run) where wish is null do nothing
       returning id, user_id),
     ${newDeliveries(WAYS)}
     select (select count(*) from page) as users, (select max(user_id) from page) as last,
            (select count(*) from page) - (select count(*) from reader) as "skipped",
            (select count(*) from notification) as notifications,
            ${LIST_DELIVERIES} as deliveries`,
    { ...discount, ...price, page },
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
