import type { JobSpec } from "../db/jobs.ts";

/** How often a delivery is tried: with the queue's pauses, which grow to six hours, that is for about two days. */
export const DELIVERY_ATTEMPTS = 16;

/** After what housekeeping and telling do, and long after what somebody waits for. */
const PRIORITY = 10;

/** Whoever asks to be left alone for longer is asked again after an hour. */
const LONGEST_WAIT_S = 3600;

/**
 * Seconds until a delivery is tried again that the other side wants to wait for `waitS`, after so many attempts: never
 * sooner than the queue would by itself, or a service that always says "in a second" would have used up all attempts in no
 * time. The queue's own pause: https://worker.graphile.org/docs/exponential-backoff
 */
export function busyPauseS(attempts: number, waitS: number): number {
  return Math.max(Math.min(waitS, LONGEST_WAIT_S), Math.exp(Math.min(attempts, 10)));
}

/** The job that carries one notification through e-mail or to one browser. */
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
export function digestJob(userId: number, runAt?: Date): JobSpec & { readonly key: string } {
  return {
    task: "deliver_digest",
    payload: { userId },
    key: `digest:${userId}`,
    maxAttempts: DELIVERY_ATTEMPTS,
    priority: PRIORITY,
    runAt,
  };
}
