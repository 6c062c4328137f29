import type { Knex } from "knex";
import { z } from "zod";
import type { JobSpec, Tasks } from "../../db/jobs.ts";
import { limitWaiting } from "../../db/rows.ts";
import { addDeliveryJobs } from "../deliveries-queries.ts";
import { addIdleJobs, LOCK_TIMEOUT, type Notified } from "../notify-queries.ts";
import { alertPage, listOpenCrossings, markAlerted, markWithoutUsers } from "./alert-queries.ts";

/** Users notified by one statement. */
const PAGE = 1_000;

const payloadSchema = z.object({ crossingId: z.number() });

/** The job that notifies every user with an alert for one crossing. */
export function alertTasks({ db }: { db: Knex }): Tasks {
  return {
    tell_crossing: async (payload, { signal }) => {
      await alertOfCrossing(db, payloadSchema.parse(payload).crossingId, { signal });
    },
  };
}

/** Adds the job of each crossing that has users without an alert. Resolves to their number. */
export async function addAlertJobs(db: Knex): Promise<number> {
  await markWithoutUsers(db);
  return addIdleJobs(db, (await listOpenCrossings(db)).map(alertJob));
}

/**
 * Notifies all users with an alert for a crossing, page by page, each in a short transaction. May be repeated and run
 * concurrently, because it skips users who have been notified. Resolves to the number of new notifications.
 */
export async function alertOfCrossing(
  db: Knex,
  crossingId: number,
  { signal, page = PAGE }: { signal?: AbortSignal; page?: number } = {},
): Promise<number> {
  let notifications = 0;
  let skipped = 0;
  for (let after: number | null = 0; after !== null; ) {
    signal?.throwIfAborted();
    const from: number = after;
    const told: Notified = await db.transaction(async (transaction) => {
      await limitWaiting(transaction, LOCK_TIMEOUT);
      const result = await alertPage(transaction, crossingId, { after: from, limit: page });
      await addDeliveryJobs(transaction, result.deliveries, { urgent: true });
      const isLast = result.users < page;
      // The next job retries skipped users who still exist.
      if (isLast && skipped + result.skipped === 0) await markAlerted(transaction, crossingId);
      return result;
    });
    notifications += told.notifications;
    skipped += told.skipped;
    after = told.users < page ? null : told.last;
  }
  return notifications;
}

function alertJob(crossingId: number): JobSpec & { key: string } {
  return { task: "tell_crossing", payload: { crossingId }, key: `alert:${crossingId}` };
}
