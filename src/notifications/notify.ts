import type { Knex } from "knex";
import { z } from "zod";
import type { Db } from "../db/connect.ts";
import { addJobs, type JobSpec, type Tasks } from "../db/jobs.ts";
import { limitWaiting } from "../db/rows.ts";
import { loadPriceLows, lowAt } from "../records/prices/price-lows.ts";
import { loweredPrice } from "../records/prices/prices.ts";
import { addDeliveryJobs } from "./deliveries-queries.ts";
import {
  addIdleJobs,
  holdDiscount,
  holdDiscounts,
  LOCK_TIMEOUT,
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
  let first: RunningDiscount | undefined;
  let notifications = 0;
  let skipped = 0;
  for (let after: number | null = 0; after !== null; ) {
    signal?.throwIfAborted();
    const from: Page = { after, limit: page };
    const run: number | undefined = first?.run;
    const told = await db.transaction((transaction) => notifyUsers(transaction, id, run, from));
    if (!told) return notifications;
    first ??= told.discount;
    notifications += told.notifications;
    skipped += told.skipped;
    after = told.users < page ? null : told.last;
  }
  // The next job retries skipped users who still exist, and all users if the discount has changed since the first page.
  if (first && skipped === 0) await markIfUnchanged(db, first);
  return notifications;
}

/** The users after one of them, by id. */
interface Page {
  readonly after: number;
  readonly limit: number;
}

/**
 * Notifies a page of users. Undefined if the discount is over, withdrawn, not in that run, or does not lower the price.
 *
 * The first page has no run yet, and holds the discount alone. Favorites that began to be added before are thus
 * included, and those added later notify by themselves: `notifyOfNewFavorite`. So the other pages let them pass.
 */
async function notifyUsers(
  transaction: Db,
  id: string,
  run: number | undefined,
  page: Page,
): Promise<(Notified & { discount: RunningDiscount }) | undefined> {
  const discount = await holdDiscount(transaction, id, { alone: run === undefined });
  if (!discount || (run !== undefined && discount.run !== run)) return undefined;
  const price = await readOffer(transaction, discount);
  if (price === undefined) return undefined;
  const notified = await notifyPage(transaction, discount, price, page);
  await addDeliveryJobs(transaction, notified.deliveries);
  return { ...notified, discount };
}

async function markIfUnchanged(db: Knex, discount: RunningDiscount): Promise<void> {
  await db.transaction(async (transaction) => {
    await limitWaiting(transaction, LOCK_TIMEOUT);
    await markNotified(transaction, discount);
  });
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
