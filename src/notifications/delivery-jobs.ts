import type { JobSpec } from "../db/jobs.ts";
import { BusyError, RecipientGoneError, RefusedForGoodError } from "./channels/channel.ts";
import { taskOf } from "./channels.ts";

/**
 * Attempts at a delivery, for about two days with the pauses below. They are counted in `deliveries.attempts`. The
 * queue's own count is of jobs that ended without a result, because their worker died or the database was down.
 */
export const DELIVERY_ATTEMPTS = 16;

type KeyedJob = JobSpec & { readonly key: string };

/** After housekeeping and making notifications, and long after mails that somebody waits for. */
const PRIORITY = 10;
/** The priority of what is useful for minutes only. */
const URGENT_PRIORITY = 5;

/** A longer `Retry-After` is cut to this. */
const LONGEST_WAIT_S = 3600;

/**
 * What to do after a failed attempt: settle the delivery, or try again after so many milliseconds, growing to six hours.
 * A busy server may ask for a longer pause but not for a shorter one: always asking for a second would use up all
 * attempts at once.
 */
export function afterFailure(error: unknown, attempts: number): "dropped" | "dead" | number {
  if (error instanceof RecipientGoneError) return "dropped";
  if (error instanceof RefusedForGoodError || attempts >= DELIVERY_ATTEMPTS) return "dead";
  const askedS = error instanceof BusyError ? Math.min(error.waitS, LONGEST_WAIT_S) : 0;
  return Math.max(askedS, Math.exp(Math.min(attempts, 10))) * 1000;
}

/** The job that sends one delivery by itself. */
export function deliveryJob(
  { id, channel }: { id: number; channel: string },
  { runAt, urgent = false }: { runAt?: Date; urgent?: boolean } = {},
): KeyedJob {
  const priority = urgent ? URGENT_PRIORITY : PRIORITY;
  return { task: taskOf(channel), payload: { deliveryId: id }, key: `delivery:${id}`, priority, runAt };
}

/** The job that sends everything that waits for a user by a gathered channel. */
export function gatheredJob(channel: string, userId: number, runAt?: Date): KeyedJob {
  return {
    task: taskOf(channel),
    payload: { userId },
    key: `${channel}:${userId}`,
    priority: PRIORITY,
    runAt,
  };
}
