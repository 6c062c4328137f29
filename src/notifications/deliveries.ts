import { setTimeout as delay } from "node:timers/promises";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { z } from "zod";
import { addJobs, type Task, type Tasks } from "../db/jobs.ts";
import type { Sender } from "./channels/channel.ts";
import { taskOf } from "./channels.ts";
import { findWaitingDelivery, noteFailure, reasonOf, settle } from "./deliveries-queries.ts";
import { deliveryJob } from "./delivery-jobs.ts";
import { maySend, type WaitingDelivery } from "./may-send.ts";
import { quietUntil } from "./quiet-hours.ts";

interface DeliveryContext {
  readonly db: Knex;
  readonly log?: Logger;
  /** By name of the channel; missing where this process cannot send by it. */
  readonly senders: Readonly<Record<string, Sender | undefined>>;
}

const payloadSchema = z.object({ deliveryId: z.number() });

/** A start may be put off and then moved forward again, so a waiting delivery checks at least hourly. */
const LONGEST_LOOK_MS = 3_600_000;

/**
 * The jobs that send one notification by one channel; none for a channel without a sender. A delivery is sent once,
 * unless its process dies between sending it and storing that.
 */
export function deliveryTasks(context: DeliveryContext): Tasks {
  const deliver = (send: Sender): Task => {
    return async (payload, { signal }) => {
      const delivery = await findWaitingDelivery(context.db, payloadSchema.parse(payload).deliveryId);
      if (delivery) await deliverNow(context, send, delivery, signal);
    };
  };
  return Object.fromEntries(
    Object.entries(context.senders).flatMap(([channel, send]) =>
      send ? [[taskOf(channel), deliver(send)]] : [],
    ),
  );
}

async function deliverNow(
  { db, log }: DeliveryContext,
  send: Sender,
  delivery: WaitingDelivery,
  signal: AbortSignal,
): Promise<void> {
  const { id, channel } = delivery;
  const attempt = delivery.attempts + 1;
  const due = maySend(delivery);
  if (typeof due === "string") return settle(db, [id], "dropped", { reason: due });
  if (!delivery.started) return addJobs(db, [deliveryJob(delivery, { runAt: nextLook(delivery.startsAt) })]);
  const quiet = quietUntil(delivery.user, new Date());
  if (quiet && delivery.alert) return settle(db, [id], "dropped", { reason: "the user has quiet hours" });
  if (quiet) return addJobs(db, [deliveryJob(delivery, { runAt: quiet })]);
  try {
    await send(due);
  } catch (error) {
    log?.warn({ delivery: id, channel, attempt, reason: reasonOf(error) }, "a notification was not sent");
    return db.transaction(async (transaction) => {
      const pause = await noteFailure(transaction, [id], error, attempt);
      if (pause !== undefined) {
        const next = { runAt: new Date(Date.now() + pause), urgent: delivery.alert !== null };
        await addJobs(transaction, [deliveryJob(delivery, next)]);
      }
    });
  }
  await insist(signal, () => settle(db, [id], "sent", { tried: true }));
}

function nextLook(startsAt: Date): Date {
  return new Date(Math.min(startsAt.getTime(), Date.now() + LONGEST_LOOK_MS));
}

/** Retries until it is stored that a delivery was sent, or it would be sent again. Waits for the database. */
export async function insist(signal: AbortSignal, note: () => Promise<void>): Promise<void> {
  for (let pause = 100; ; pause = Math.min(pause * 2, 5_000)) {
    try {
      return await note();
    } catch (error) {
      if (signal.aborted) throw error;
      await delay(pause, undefined, { signal }).catch(() => undefined);
    }
  }
}
