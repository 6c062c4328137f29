import type { Knex } from "knex";
import type { Logger } from "pino";
import { z } from "zod";
import { addJobs, type Task, type Tasks } from "../db/jobs.ts";
import type { PlannedDelivery, Sender, Step, Transport } from "./channels/channel.ts";
import { taskOf } from "./channels.ts";
import { findWaitingDelivery, noteFailure, settle } from "./deliveries-queries.ts";
import { deliveryJob } from "./delivery-jobs.ts";
import { quietUntil } from "./email/digest-times.ts";
import { maySend, type WaitingDelivery } from "./may-send.ts";
import { retryUntilStored } from "./retries.ts";

interface DeliveryContext {
  readonly db: Knex;
  readonly log?: Logger;
  /** Transports by the name of the channel; missing if this process cannot send by it. */
  readonly transports: Readonly<Record<string, Transport | undefined>>;
}

const payloadSchema = z.object({ deliveryId: z.number() });

/** A start may be postponed and then moved forward again, so a waiting delivery checks at least hourly. */
const LONGEST_LOOK_MS = 3_600_000;

/**
 * The jobs that send one delivery, for each channel with a transport. A delivery is sent once, unless its process dies
 * between sending it and storing that.
 */
export function deliveryTasks(context: DeliveryContext): Tasks {
  const deliver = (find: Transport): Task => {
    return async (payload, { signal }) => {
      const delivery = await find(payloadSchema.parse(payload).deliveryId);
      if (delivery) await deliverNow(context, delivery, signal);
    };
  };
  return Object.fromEntries(
    Object.entries(context.transports).flatMap(([channel, transport]) =>
      transport ? [[taskOf(channel), deliver(transport)]] : [],
    ),
  );
}

async function deliverNow(
  { db, log }: DeliveryContext,
  delivery: PlannedDelivery,
  signal: AbortSignal,
): Promise<void> {
  const { id, channel, step } = delivery;
  if ("drop" in step) return settle(db, [id], "dropped", { reason: step.drop });
  if ("wait" in step) return addJobs(db, [deliveryJob(delivery, { runAt: step.wait })]);
  try {
    await step.send();
  } catch (error) {
    return db.transaction(async (transaction) => {
      const { verdict, reason } = await noteFailure(transaction, [id], error, delivery);
      log?.warn({ delivery: id, channel, attempt: delivery.attempts + 1, reason }, "a delivery failed");
      if (verdict.state === "waiting") {
        const runAt = new Date(Date.now() + verdict.retryS * 1000);
        await addJobs(transaction, [deliveryJob(delivery, { runAt, urgent: delivery.isUrgent })]);
      }
      await delivery.noteFailed?.(transaction, { error, reason, verdict });
    });
  }
  await retryUntilStored(signal, () =>
    db.transaction(async (transaction) => {
      await settle(transaction, [id], "sent", { tried: true });
      await delivery.noteSent?.(transaction);
    }),
  );
}

/** The transport of a channel that sends notifications one by one. */
export function notificationTransport(db: Knex, channel: string, send: Sender): Transport {
  return async (id) => {
    const delivery = await findWaitingDelivery(db, id, channel);
    if (!delivery) return undefined;
    const { user, attempts, createdAt, alert } = delivery;
    const step = nextStep(delivery, send, new Date());
    return { id, channel, user_id: user.id, attempts, createdAt, isUrgent: alert !== null, step };
  };
}

function nextStep(delivery: WaitingDelivery, send: Sender, now: Date): Step {
  const due = maySend(delivery);
  if (typeof due === "string") return { drop: due };
  if (!delivery.started) {
    return { wait: new Date(Math.min(delivery.startsAt.getTime(), now.getTime() + LONGEST_LOOK_MS)) };
  }
  const quiet = quietUntil(delivery.user, now);
  if (!quiet) return { send: () => send(due) };
  return delivery.alert ? { drop: "the user has quiet hours" } : { wait: quiet };
}
