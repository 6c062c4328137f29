import type { Knex } from "knex";
import { z } from "zod";
import type { Db } from "../db/connect.ts";
import { addJobs, type JobSpec, type Tasks } from "../db/jobs.ts";
import { loweredPrice } from "../donate/prices.ts";
import { addDeliveryJobs } from "./deliveries-queries.ts";
import {
  holdDiscount,
  holdDiscountsOf,
  listKeysAtWork,
  listUntold,
  markTold,
  type RunningDiscount,
  tellOne,
  tellPage,
  waitForToggles,
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
 * again at once. Resolves to how many.
 */
export async function addTellingJobs(db: Db): Promise<number> {
  const jobs = (await listUntold(db))
    .filter((discount) => priceToTell(discount) !== null)
    .map(({ id }) => tellingJob(id));
  const atWork = await listKeysAtWork(
    db,
    jobs.map(({ key }) => key),
  );
  const idle = jobs.filter(({ key }) => !atWork.has(key));
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
  const discount = await db.transaction((transaction) => holdDiscount(transaction, id));
  if (!discount) return 0;
  // Who adds the favorite from now on finds the discount running and is told by that.
  await waitForToggles(db, discount.item_key);
  const told = await tellPages(db, discount, { signal, page });
  if (told.everybody) await markTold(db, discount);
  return told.notices;
}

async function tellPages(
  db: Knex,
  discount: RunningDiscount,
  { signal, page }: { signal: AbortSignal | undefined; page: number },
): Promise<{ notices: number; everybody: boolean }> {
  let notices = 0;
  for (let after = 0; ; ) {
    signal?.throwIfAborted();
    const next = { after, limit: page };
    const told = await db.transaction((transaction) => tellNext(transaction, discount, next));
    if (!told) return { notices, everybody: false };
    if (told.last === null) return { notices, everybody: true };
    notices += told.notices;
    after = told.last;
  }
}

/** Undefined where there is nothing to tell any more: it is over, withdrawn, dearer, or a new one by now. */
async function tellNext(
  transaction: Db,
  { id, run }: RunningDiscount,
  page: { after: number; limit: number },
) {
  const discount = await holdDiscount(transaction, id);
  const price = discount?.run === run ? priceToTell(discount) : null;
  if (!discount || price === null) return undefined;
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
