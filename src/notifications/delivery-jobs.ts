import type { JobSpec } from "../db/jobs.ts";
import type { JobOfDelivery } from "./channels/channel.ts";
import { taskOf } from "./channels.ts";

type KeyedJob = JobSpec & { readonly key: string };

/** After housekeeping and creating notifications, and long after mails that a user waits for. */
const PRIORITY = 10;
/** The priority of messages that are useful for minutes only. */
const URGENT_PRIORITY = 5;

/** The job that sends one delivery by itself. */
export function deliveryJob(
  delivery: JobOfDelivery,
  { runAt, urgent = false }: { runAt?: Date; urgent?: boolean | undefined } = {},
): KeyedJob {
  const { id, channel } = delivery;
  return {
    task: taskOf(channel),
    payload: { deliveryId: id },
    key: `delivery:${id}`,
    queue: queueOf(delivery),
    priority: urgent ? URGENT_PRIORITY : PRIORITY,
    runAt,
  };
}

/**
 * The webhooks of one owner share a queue: messages keep their order as long as they are accepted, and a slow receiver
 * delays no other owner's.
 */
function queueOf({ user_id, webhook_id }: JobOfDelivery): string | undefined {
  if (webhook_id == null) return undefined;
  return user_id === null ? `webhook:${webhook_id}` : `webhooks-of:${user_id}`;
}

/** The job of a user's daily mail. */
export function digestJob(userId: number, runAt?: Date): KeyedJob {
  return { task: "deliver_digest", payload: { userId }, key: `digest:${userId}`, priority: PRIORITY, runAt };
}
