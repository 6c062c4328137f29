import type { Knex } from "knex";
import type { Logger } from "pino";
import { z } from "zod";
import { addJobs, type Task, type Tasks } from "../db/jobs.ts";
import type { Carrier, Found, Sender, Step } from "./channels/channel.ts";
import { tasksOf } from "./channels.ts";
import { findWaitingDelivery, noteFailure, settle } from "./deliveries-queries.ts";
import { deliveryJob } from "./delivery-jobs.ts";
import { maySend, type WaitingDelivery } from "./may-send.ts";
import { quietUntil } from "./quiet-hours.ts";
import { retryUntilStored } from "./retries.ts";

interface DeliveryContext {
  readonly db: Knex;
  readonly log?: Logger;
  /** By name of the channel; missing where this process cannot send by it. */
  readonly carriers: Readonly<Record<string, Carrier | undefined>>;
}

const payloadSchema = z.object({ deliveryId: z.number() });

/** A start may be put off and then moved forward again, so a waiting delivery checks at least hourly. */
const LONGEST_LOOK_MS = 3_600_000;

/**
 * The jobs that send one delivery; none for a channel without a carrier. A delivery is sent once, unless its process dies
 * between sending it and storing that.
 */
export function deliveryTasks(context: DeliveryContext): Tasks {
  const deliver = (find: Carrier): Task => {
    return async (payload, { signal }) => {
      const found = await find(payloadSchema.parse(payload).deliveryId);
      if (found) await deliverNow(context, found, signal);
    };
  };
  return Object.fromEntries(
    Object.entries(context.carriers).flatMap(([channel, carrier]) =>
      carrier ? tasksOf(channel).map((task) => [task, deliver(carrier)]) : [],
    ),
  );
}

async function deliverNow({ db, log }: DeliveryContext, found: Found, signal: AbortSignal): Promise<void> {
  const { id, channel, step } = found;
  if ("drop" in step) return settle(db, [id], "dropped", { reason: step.drop });
  if ("wait" in step) return addJobs(db, [deliveryJob(found, { runAt: step.wait })]);
  try {
    await step.send();
  } catch (error) {
    return db.transaction(async (transaction) => {
      const { verdict, reason } = await noteFailure(transaction, [id], error, found);
      log?.warn({ delivery: id, channel, attempt: found.attempts + 1, reason }, "a delivery failed");
      if (verdict.state === "waiting") {
        const runAt = new Date(Date.now() + verdict.retryS * 1000);
        await addJobs(transaction, [deliveryJob(found, { runAt, urgent: found.isUrgent })]);
      }
      await found.noteFailed?.(transaction, { error, reason, verdict });
    });
  }
  await retryUntilStored(signal, () =>
    db.transaction(async (transaction) => {
      await settle(transaction, [id], "sent", { tried: true });
      await found.noteSent?.(transaction);
    }),
  );
}

/** The carrier of a channel that sends notifications one by one. */
export function notificationCarrier(db: Knex, channel: string, send: Sender): Carrier {
  return async (id) => {
    const delivery = await findWaitingDelivery(db, id, channel);
    return (
      delivery && {
        ...{
          id,
          channel,
          user_id: delivery.user.id,
          attempts: delivery.attempts,
          createdAt: delivery.createdAt,
        },
        isUrgent: delivery.alert !== null,
        step: nextStep(delivery, send, new Date()),
      }
    );
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
