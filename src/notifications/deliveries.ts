import { setTimeout as delay } from "node:timers/promises";
import type { Knex } from "knex";
import { z } from "zod";
import { type Attempt, addJobs, type Task, type Tasks } from "../db/jobs.ts";
import { loweredPrice } from "../prices/prices.ts";
import {
  countFailure,
  type DueDelivery,
  findWaitingDelivery,
  settle,
  storableReason,
  type WaitingDelivery,
} from "./deliveries-queries.ts";
import { busyPauseS, DELIVERY_ATTEMPTS, deliveryJob } from "./delivery-jobs.ts";

/**
 * Sends one notification through one channel. Resolves once the other side has accepted it; rejects with
 * RefusedForGoodError or RecipientGoneError where another try is no use, with BusyError where it is after a while that
 * the other side told, and with anything else for a failure that may pass.
 */
export type Sender = (due: DueDelivery) => Promise<void>;

/** The other side is busy and has said for how long. */
export class BusyError extends Error {
  override name = "BusyError";
  readonly waitS: number;

  constructor(message: string, waitS: number) {
    super(message);
    this.waitS = waitS;
  }
}

/** The other side will never take this notification: the delivery is given up and shown to the operator. */
export class RefusedForGoodError extends Error {
  override name = "RefusedForGoodError";
}

/**
 * Nobody is there any more to send to (a browser that unsubscribed): the delivery is dropped, and that is no failure.
 */
export class RecipientGoneError extends Error {
  override name = "RecipientGoneError";
}

interface DeliveryContext {
  readonly db: Knex;
  /** Those of the channels that this process can send by. */
  readonly senders: { readonly [Channel in DueDelivery["channel"]]?: Sender | undefined };
}

const payloadSchema = z.object({ deliveryId: z.number() });

/** A start may be put off and then pulled forward again: whoever waits for it looks again after an hour at most. */
const LONGEST_LOOK_MS = 3_600_000;

/**
 * The jobs that carry one notification through one channel; none for a channel without a sender. A delivery is sent at
 * most once unless its process dies between the other side's acceptance and the note of it.
 */
export function deliveryTasks({ db, senders }: DeliveryContext): Tasks {
  const deliver = (send: Sender): Task => {
    return async (payload, attempt) => {
      const delivery = await findWaitingDelivery(db, payloadSchema.parse(payload).deliveryId);
      if (delivery) await deliverNow(db, send, delivery, attempt);
    };
  };
  const { email, push } = senders;
  return {
    ...(email && { deliver_by_email: deliver(email) }),
    ...(push && { deliver_by_push: deliver(push) }),
  };
}

async function deliverNow(
  db: Knex,
  send: Sender,
  delivery: WaitingDelivery,
  { signal }: Attempt,
): Promise<void> {
  const due = dueDelivery(delivery);
  if (typeof due === "string") return settle(db, delivery.id, "dropped", due);
  if (!delivery.started) return addJobs(db, [deliveryJob(delivery, nextLook(delivery.startsAt))]);
  try {
    await send(due);
  } catch (error) {
    return noteFailure(db, delivery, error);
  }
  await insist(signal, () => settle(db, delivery.id, "sent", null, delivery.attempts + 1));
}

function nextLook(startsAt: Date): Date {
  return new Date(Math.min(startsAt.getTime(), Date.now() + LONGEST_LOOK_MS));
}

/** What is to be sent, or why nothing is any more. */
function dueDelivery(delivery: WaitingDelivery): DueDelivery | string {
  const { id, channel, user, subscription, offer } = delivery;
  if (offer === null) return "the discount was withdrawn";
  if (delivery.over) return "the discount is over";
  const newPrice = loweredPrice({ price: offer.oldPrice, currency: offer.currency }, offer);
  if (newPrice === null) return "the discount does not lower the price any more";
  if (!delivery.wanted) return "the user switched this channel off";
  if (channel === "email" && user.email === null) return "the user has no confirmed address any more";
  const { percent: _percent, price: _price, ...notification } = offer;
  return {
    id,
    channel,
    user,
    subscription,
    notification: { id: delivery.notificationId, ...notification, newPrice },
  };
}

/**
 * Ends the delivery where another try is no use, or adds its job anew for when the other side wants it; else rejects,
 * and the queue tries again later.
 */
async function noteFailure(db: Knex, delivery: WaitingDelivery, error: unknown): Promise<void> {
  const { id, attempts } = delivery;
  const reason = error instanceof Error ? error.message : String(error);
  const made = attempts + 1;
  if (error instanceof RecipientGoneError) return settle(db, id, "dropped", reason, made);
  const isFinal = error instanceof RefusedForGoodError || made >= DELIVERY_ATTEMPTS;
  if (isFinal) return settle(db, id, "dead", reason, made);
  if (!(error instanceof BusyError)) {
    await countFailure(db, id, reason);
    // The queue keeps the message as well, and could not note the failure of a job with one that Postgres refuses.
    throw new Error(storableReason(reason), { cause: error });
  }
  const again = deliveryJob(delivery, new Date(Date.now() + busyPauseS(made, error.waitS) * 1000));
  await db.transaction(async (transaction) => {
    await countFailure(transaction, id, reason);
    await addJobs(transaction, [again]);
  });
}

/** What was sent must be noted, or it is sent again: a database that is away for a while is waited for. */
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
