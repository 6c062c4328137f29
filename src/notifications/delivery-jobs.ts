import type { JobSpec } from "../db/jobs.ts";
import { BusyError, RecipientGoneError, RefusedForGoodError } from "./channels/channel.ts";
import { taskOf } from "./channels.ts";

/**
 * How often a delivery is tried: with the pauses below, for about two days. `deliveries.attempts` counts; the queue's own
 * count is of jobs that could not say what came of them, because their worker died or the database was away.
 */
export const DELIVERY_ATTEMPTS = 16;

type KeyedJob = JobSpec & { readonly key: string };

/** After what housekeeping and telling do, and long after what somebody waits for. */
const PRIORITY = 10;

/** Whoever asks to be left alone for longer is asked again after an hour. */
const LONGEST_WAIT_S = 3600;

/**
 * What becomes of a delivery after an attempt has failed, the last of so many: it is ended, or tried again after
 * milliseconds that grow to six hours. Whoever is busy is left alone for as long as they ask, but never for less than
 * anybody: who always says "in a second" would have used up all attempts in no time.
 */
export function afterFailure(error: unknown, attempts: number): "dropped" | "dead" | number {
  if (error instanceof RecipientGoneError) return "dropped";
  if (error instanceof RefusedForGoodError || attempts >= DELIVERY_ATTEMPTS) return "dead";
  const askedS = error instanceof BusyError ? Math.min(error.waitS, LONGEST_WAIT_S) : 0;
  return Math.max(askedS, Math.exp(Math.min(attempts, 10))) * 1000;
}

/** The job that sends one delivery by itself. */
export function deliveryJob({ id, channel }: { id: number; channel: string }, runAt?: Date): KeyedJob {
  const payload = { deliveryId: id };
  return { task: taskOf(channel), payload, key: `delivery:${id}`, priority: PRIORITY, runAt };
}

/** The job that sends all that waits for a user by a channel that gathers. */
export function gatheredJob(channel: string, userId: number, runAt?: Date): KeyedJob {
  return {
    task: taskOf(channel),
    payload: { userId },
    key: `${channel}:${userId}`,
    priority: PRIORITY,
    runAt,
  };
}
