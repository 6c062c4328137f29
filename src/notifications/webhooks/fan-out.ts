import type { Knex } from "knex";
import { addJobs } from "../../db/jobs.ts";
import { passOverCrossings, takeCrossings } from "./crossing-queries.ts";
import { TOLD_AT_MOST, type ToldDiscount } from "./events.ts";
import {
  addEvent,
  discountsOf,
  dropNews,
  entriesOf,
  hasWebhooks,
  holdFanOut,
  type News,
  takeNews,
  takeStarted,
} from "./fan-out-queries.ts";
import { type JobOfDelivery, webhookJob } from "./jobs.ts";

/** How long changes of a kind are gathered. */
const GATHER_S = 15;

/**
 * Makes events and deliveries of what has happened since the last time, with the deliveries' jobs, in one transaction.
 * Safe in any number of processes: one at a time does it. Resolves to how many deliveries.
 */
export async function fanOut(db: Knex, { gatherS = GATHER_S } = {}): Promise<number> {
  if (!(await hasWebhooks(db))) return 0;
  return db.transaction(async (transaction) => {
    if (!(await holdFanOut(transaction))) return 0;
    const started = await takeStarted(transaction);
    const news = await takeNews(transaction, gatherS);
    const made: JobOfDelivery[] = [];
    for (const { userId, outageMin, ...event } of await takeCrossings(transaction)) {
      made.push(...(await addEvent(transaction, event, userId, outageMin)));
    }
    if (started.length > 0) made.push(...(await tellDiscounts(transaction, started, null)));
    for (const item of merged(news)) made.push(...(await tell(transaction, item)));
    await addJobs(
      transaction,
      made.map((delivery) => webhookJob(delivery)),
    );
    return made.length;
  });
}

/**
 * Skips everything that has happened so far, before the first webhook is on: it gets later events, not all running
 * discounts. First send the events to those that are on already (`fanOut`).
 */
export async function passOver(transaction: Knex.Transaction): Promise<void> {
  if (await hasWebhooks(transaction)) return;
  await takeStarted(transaction);
  await passOverCrossings(transaction);
  await dropNews(transaction);
}

async function tell(transaction: Knex.Transaction, news: News): Promise<JobOfDelivery[]> {
  if (news.event === "discount" || news.kind === null) {
    return tellDiscounts(transaction, await discountsOf(transaction, news.ids), news.user_id);
  }
  const entries = await entriesOf(transaction, news.kind, news.ids.slice(0, TOLD_AT_MOST));
  const type = news.event === "entry_new" ? "entries.added" : "entries.changed";
  return addEvent(transaction, { type, data: { kind: news.kind, count: news.total, entries } }, news.user_id);
}

async function tellDiscounts(
  transaction: Knex.Transaction,
  all: readonly ToldDiscount[],
  userId: number | null,
): Promise<JobOfDelivery[]> {
  if (all.length === 0) return [];
  const data = { count: all.length, discounts: all.slice(0, TOLD_AT_MOST) };
  return addEvent(transaction, { type: "discount.started", data }, userId);
}

/** One of each event, kind and user; a record that changed twice is counted twice. */
function merged(news: readonly News[]): News[] {
  const groups = new Map<string, News>();
  for (const item of news) {
    const key = JSON.stringify([item.event, item.kind, item.user_id]);
    const known = groups.get(key);
    const ids = known ? [...new Set([...known.ids, ...item.ids])] : item.ids;
    groups.set(key, { ...item, ids, total: item.total + (known?.total ?? 0) });
  }
  return [...groups.values()];
}
