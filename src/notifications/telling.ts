import type { Knex } from "knex";
import { z } from "zod";
import type { Db } from "../db/connect.ts";
import { addJobs, type JobSpec, type Tasks } from "../db/jobs.ts";
import { loweredPrice } from "../prices/prices.ts";
import { addDeliveryJobs } from "./deliveries-queries.ts";
import {
  holdDiscount,
  holdDiscountAlone,
  holdDiscountsOf,
  limitWaiting,
  listKeysUnderWay,
  listUntold,
  markThoseWithoutFavorites,
  markTold,
  type RunningDiscount,
  type Told,
  tellOne,
  tellPage,
} from "./telling-queries.ts";

/** Users told by one statement: some 30 ms of work, so that nobody waits long for its locks. */
const PAGE = 1_000;

const payloadSchema = z.object({ discountId: z.string() });

/** The job that tells everybody of one discount. */
export function tellingTasks({ db }: { db: Knex }): Tasks {
  return {
    tell_discount: async (payload, { signal }) => {
      await tellDiscount(db, payloadSchema.parse(payload).discountId, { signal });
    },
  };
}

/**
 * Adds the job of each discount that runs, is worth telling and was not told to everybody; one that failed before is due
 * again at once, and one that is under way is left alone. Resolves to how many.
 */
export async function addTellingJobs(db: Knex): Promise<number> {
  await markThoseWithoutFavorites(db);
  const jobs = (await listUntold(db))
    .filter((discount) => priceToTell(discount) !== null)
    .map(({ id }) => tellingJob(id));
  const underWay = await listKeysUnderWay(
    db,
    jobs.map(({ key }) => key),
  );
  const idle = jobs.filter(({ key }) => !underWay.has(key));
  await addJobs(db, idle);
  return idle.length;
}

/**
 * Tells everybody who has its item as a favorite of a discount that runs, page by page, each in a short transaction of
 * its own. May be done again and by several at once: who was told is passed over. Resolves to how many were told now.
 */
export async function tellDiscount(
  db: Knex,
  id: string,
  { signal, page = PAGE }: { signal?: AbortSignal; page?: number } = {},
): Promise<number> {
  signal?.throwIfAborted();
  const first = await db.transaction((transaction) => tellFirst(transaction, id, page));
  if (!first) return 0;
  return first.told.users < page ? first.told.notifications : tellRest(db, first, { signal, page });
}

interface FirstPage {
  readonly discount: RunningDiscount;
  readonly told: Told;
}

/**
 * Undefined where there is nothing to tell. Most discounts have no more than one page of users: that is all then, in one
 * transaction. Who adds the favorite after it finds the discount running and is told by that.
 */
async function tellFirst(transaction: Db, id: string, limit: number): Promise<FirstPage | undefined> {
  const discount = await holdDiscountAlone(transaction, id);
  const told = discount && (await tellUsers(transaction, discount, { after: 0, limit }));
  if (!told) return undefined;
  if (told.users < limit && told.passedOver === 0) await markTold(transaction, discount);
  return { discount, told };
}

async function tellRest(
  db: Knex,
  { discount, told: { notifications, passedOver, ...first } }: FirstPage,
  { signal, page }: { signal: AbortSignal | undefined; page: number },
): Promise<number> {
  for (let { users, last } = first; users === page && last !== null; ) {
    signal?.throwIfAborted();
    const next = { after: last, limit: page };
    const told = await db.transaction((transaction) => tellNext(transaction, discount, next));
    if (!told) return notifications;
    notifications += told.notifications;
    passedOver += told.passedOver;
    ({ users, last } = told);
  }
  if (passedOver > 0) return notifications;
  await db.transaction(async (transaction) => {
    await limitWaiting(transaction);
    await markTold(transaction, discount);
  });
  return notifications;
}

/** Undefined where there is nothing to tell any more: it is over, withdrawn, dearer, or a new one by now. */
async function tellNext(
  transaction: Db,
  { id, run }: RunningDiscount,
  page: { after: number; limit: number },
): Promise<Told | undefined> {
  const discount = await holdDiscount(transaction, id);
  return discount?.run === run ? tellUsers(transaction, discount, page) : undefined;
}

async function tellUsers(
  transaction: Db,
  discount: RunningDiscount,
  page: { after: number; limit: number },
): Promise<Told | undefined> {
  const price = priceToTell(discount);
  if (price === null) return undefined;
  const told = await tellPage(transaction, discount, price, page);
  await addDeliveryJobs(transaction, told.deliveries);
  return told;
}

/**
 * Tells one user of the discounts of an item that run, in the transaction that makes the item a favorite. What is just
 * being changed is told by a job, after the change.
 */
export async function tellNewFavorite(transaction: Db, userId: number, itemKey: string): Promise<void> {
  const { held, changing } = await holdDiscountsOf(transaction, itemKey);
  for (const discount of held) {
    const price = priceToTell(discount);
    if (price === null) continue;
    const told = await tellOne(transaction, discount, price, userId);
    await addDeliveryJobs(transaction, told.deliveries);
  }
  await addJobs(transaction, changing.map(tellingJob));
}

function tellingJob(discountId: string): JobSpec & { key: string } {
  return { task: "tell_discount", payload: { discountId }, key: `tell:${discountId}` };
}

/** What the discount makes of its item's price; null where there is nothing to tell. */
function priceToTell({ item_price, currency, percent, price }: RunningDiscount): string | null {
  return loweredPrice({ price: item_price, currency }, { percent, price });
}
