import type { JobSpec } from "../../db/jobs.ts";

/** A delivery with what its job needs. */
export interface JobOfDelivery {
  readonly id: number;
  readonly webhookId: number;
  /** null: a webhook of the site. */
  readonly userId: number | null;
}

/** The same as for notifications: long after mails that somebody waits for. */
const PRIORITY = 10;

/**
 * The job of one delivery. One owner's run one after the other: messages keep their order as long as they are accepted,
 * and a receiver that takes its time holds up nobody else's.
 */
export function webhookJob(
  { id, webhookId, userId }: JobOfDelivery,
  runAt?: Date,
): JobSpec & { key: string } {
  return {
    task: "deliver_webhook",
    payload: { deliveryId: id },
    key: `webhook:${id}`,
    queue: userId === null ? `webhook:${webhookId}` : `webhooks-of:${userId}`,
    priority: PRIORITY,
    runAt,
  };
}
