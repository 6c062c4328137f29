import type { Knex } from "knex";
import { z } from "zod";
import type { Db } from "../db/connect.ts";
import { addJobs, type JobSpec, type Tasks } from "../db/jobs.ts";
import { loadPriceLows, lowAt } from "../records/prices/price-lows.ts";
import { loweredPrice } from "../records/prices/prices.ts";
import { addDeliveryJobs } from "./deliveries-queries.ts";
import {
  addIdleJobs,
  holdDiscount,
  holdDiscountAlone,
  holdDiscounts,
  limitWaiting,
  listUnnotified,
  markNotified,
  markWithoutFavorites,
  type Notified,
  notifyOne,
  notifyPage,
  type OfferedPrice,
  type RunningDiscount,
} from "./notify-queries.ts";

/** Users notified by one statement, which takes some 30 ms, so that its locks are short. */
const PAGE = 1_000;

const payloadSchema = z.object({ discountId: z.string() });

/** The job that notifies all users of one discount. Jobs and keys keep their old names, because some may be queued. */
export function notifyTasks({ db }: { db: Knex }): Tasks {
  return {
    tell_discount: async (payload, { signal }) => {
      await notifyOfDiscount(db, payloadSchema.parse(payload).discountId, { signal });
    },
  };
}

/**
 * Adds the job of each running discount that lowers its price and has users to notify. A failed one is due again at
 * once; a running one is left alone. Resolves to their number.
 */
export async function addNotifyJobs(db: Knex): Promise<number> {
  await markWithoutFavorites(db);
  const jobs = (await listUnnotified(db))
    .filter((discount) => offeredPrice(discount) !== null)
    .map(({ id }) => notifyJob(id));
  return addIdleJobs(db, jobs);
}

/**
 * Notifies all users with the item as a favorite, page by page, each in a short transaction. May be repeated and run
 * concurrently, because it skips users who have been notified. Resolves to the number of new notifications.
 */
export async function notifyOfDiscount(
  db: Knex,
  id: string,
  { signal, page = PAGE }: { signal?: AbortSignal; page?: number } = {},
): Promise<number> {
  signal?.throwIfAborted();
  const first = await db.transaction((transaction) => notifyFirstPage(transaction, id, page));
  if (!first) return 0;
  return first.notified.users < page ? first.notified.notifications : notifyRest(db, first, { signal, page });
}

interface FirstPage {
  readonly discount: RunningDiscount;
  readonly notified: Notified;
}

/**
 * Undefined if nobody is to be notified. Most discounts have one page of users, which takes one transaction. Users who
 * add the favorite later are notified by `notifyOfNewFavorite`.
 */
async function notifyFirstPage(transaction: Db, id: string, limit: number): Promise<FirstPage | undefined> {
  const discount = await holdDiscountAlone(transaction, id);
  const notified = discount && (await notifyUsers(transaction, discount, { after: 0, limit }));
  if (!notified) return undefined;
  if (notified.users < limit && notified.skipped === 0) await markNotified(transaction, discount);
  return { discount, notified };
}

async function notifyRest(
  db: Knex,
  { discount, notified: { notifications, skipped, ...first } }: FirstPage,
  { signal, page }: { signal: AbortSignal | undefined; page: number },
): Promise<number> {
  for (let { users, last } = first; users === page && last !== null; ) {
    signal?.throwIfAborted();
    const next = { after: last, limit: page };
    const notified = await db.transaction((transaction) => notifyNextPage(transaction, discount, next));
    if (!notified) return notifications;
    notifications += notified.notifications;
    skipped += notified.skipped;
    ({ users, last } = notified);
  }
  if (skipped > 0) return notifications;
  await db.transaction(async (transaction) => {
    await limitWaiting(transaction);
    await markNotified(transaction, discount);
  });
  return notifications;
}

/** Undefined if the discount is over, withdrawn, a new run, or no longer lowers the price. */
async function notifyNextPage(
  transaction: Db,
  { id, run }: RunningDiscount,
  page: { after: number; limit: number },
): Promise<Notified | undefined> {
  const discount = await holdDiscount(transaction, id);
  return discount?.run === run ? notifyUsers(transaction, discount, page) : undefined;
}

async function notifyUsers(
  transaction: Db,
  discount: RunningDiscount,
  page: { after: number; limit: number },
): Promise<Notified | undefined> {
  const price = await readOffer(transaction, discount);
  if (price === undefined) return undefined;
  const notified = await notifyPage(transaction, discount, price, page);
  await addDeliveryJobs(transaction, notified.deliveries);
  return notified;
}

/**
 * Notifies a user of an item's running discounts, in the transaction that makes the item a favorite. A job after the
 * change handles discounts that are just being changed.
 */
export async function notifyOfNewFavorite(transaction: Db, userId: number, itemKey: string): Promise<void> {
  const { held, changing } = await holdDiscounts(transaction, itemKey);
  for (const discount of held) {
    const price = await readOffer(transaction, discount);
    if (price === undefined) continue;
    const notified = await notifyOne(transaction, discount, price, userId);
    await addDeliveryJobs(transaction, notified.deliveries);
  }
  await addJobs(transaction, changing.map(notifyJob));
}

function notifyJob(discountId: string): JobSpec & { key: string } {
  return { task: "tell_discount", payload: { discountId }, key: `tell:${discountId}` };
}

/** The discounted price with the low that it is at; undefined if the discount does not lower the price. */
async function readOffer(transaction: Db, discount: RunningDiscount): Promise<OfferedPrice | undefined> {
  const newPrice = offeredPrice(discount);
  if (newPrice === null) return undefined;
  const { item_key: key } = discount;
  const lows = (await loadPriceLows(transaction, [key])).get(key);
  return { newPrice, low: lowAt(newPrice, lows) };
}

/** The discounted price; null if the discount does not lower it. */
function offeredPrice({ item_price, currency, percent, price }: RunningDiscount): string | null {
  return loweredPrice({ price: item_price, currency }, { percent, price });
}
