import type { JobSpec } from "../db/jobs.ts";

/** How often a delivery is tried: with the queue's pauses, which grow to six hours, that is for about two days. */
export const DELIVERY_ATTEMPTS = 16;

/** After what housekeeping and telling do, and long after what somebody waits for. */
const PRIORITY = 10;

/** The job that carries one notice through e-mail or to one browser. */
export function deliveryJob(delivery: { id: number; channel: "email" | "push" }, runAt?: Date): JobSpec {
  return {
    task: delivery.channel === "email" ? "deliver_by_email" : "deliver_by_push",
    payload: { deliveryId: delivery.id },
    key: `delivery:${delivery.id}`,
    maxAttempts: DELIVERY_ATTEMPTS,
    priority: PRIORITY,
    runAt,
  };
}

/** The job that sends all that waits for a user's daily mail. */
export function digestJob(userId: number, runAt?: Date): JobSpec {
  return {
    task: "deliver_digest",
    payload: { userId },
    key: `digest:${userId}`,
    maxAttempts: DELIVERY_ATTEMPTS,
    priority: PRIORITY,
    runAt,
  };
}
