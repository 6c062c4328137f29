import type { Knex } from "knex";
import { limitWaiting } from "../db/rows.ts";
import { addDeliveryJobs } from "./deliveries-queries.ts";
import { LOCK_TIMEOUT } from "./notify-queries.ts";
import { findWishedItem, listCrossedItems, notifyWishers, resetWishes } from "./wish-queries.ts";

/** Users notified by one transaction. */
const PAGE = 1_000;

/**
 * Notifies all users whose target price an item has reached since the last check, by a discount or a new regular price,
 * once each time. The same transaction records it with the wish, so this may be repeated, run concurrently and be
 * killed. Resolves to the number of notified users.
 */
export async function notifyOfWishes(db: Knex, { page = PAGE } = {}): Promise<number> {
  let notified = 0;
  for (const itemKey of await listCrossedItems(db)) {
    for (let users = page; users === page; ) {
      users = await db.transaction((transaction) => notifyPage(transaction, itemKey, page));
      notified += users;
    }
  }
  return notified;
}

async function notifyPage(transaction: Knex.Transaction, itemKey: string, page: number): Promise<number> {
  await limitWaiting(transaction, LOCK_TIMEOUT);
  const item = await findWishedItem(transaction, itemKey);
  if (!item) return 0;
  await resetWishes(transaction, item);
  if (item.cost === null) return 0;
  const { users, deliveries } = await notifyWishers(transaction, item, page);
  await addDeliveryJobs(transaction, deliveries);
  return users;
}
