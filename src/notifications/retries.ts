import { setTimeout as delay } from "node:timers/promises";

/**
 * Attempts at a delivery, for about two days with the pauses below. They are counted in `deliveries.attempts`. The
 * queue itself counts jobs that ended without a result, because their worker died or the database was down.
 */
export const DELIVERY_ATTEMPTS = 16;

/** The longest pause that a receiver may request. */
export const LONGEST_PAUSE_S = 3_600;

/** How long a receiver may request pauses that count as no attempt, before the delivery fails. */
const LONGEST_WAITING_MS = 3 * 86_400_000;

/** After this many consecutive failures, hold the receiver's other deliveries too: twice as long each time. */
const FAILURES_BEFORE_HOLD = 4;
const LONGEST_HOLD_S = 300;

/** A receiver is switched off after this many consecutive failures … */
export const FAILURES_BEFORE_OFF = 20;
/** … if it has accepted nothing for this long. */
export const FAILING_BEFORE_OFF = "3 days";

/** The other side requested a pause. `counts`: whether the attempt counts as a failed one. */
export class BusyError extends Error {
  override name = "BusyError";
  readonly waitS: number;
  readonly counts: boolean;

  constructor(message: string, waitS: number, { counts = true } = {}) {
    super(message);
    this.waitS = waitS;
    this.counts = counts;
  }
}

/** The other side will never accept this notification: the delivery fails, and operators see it. */
export class RefusedForGoodError extends Error {
  override name = "RefusedForGoodError";
}

/** The recipient is gone, such as a browser that unsubscribed: the delivery is dropped. */
export class RecipientGoneError extends Error {
  override name = "RecipientGoneError";
}

/** The consequences of a failed attempt. */
export interface Verdict {
  readonly state: "waiting" | "dropped" | "dead";
  /** Seconds until the next attempt; 0 if no attempt follows. */
  readonly retryS: number;
  /** Seconds until the receiver's other deliveries. Only webhooks count their receivers' failures. */
  readonly holdS: number;
  /** Whether it counts as an attempt: a receiver that only requests a pause has not failed. */
  readonly counts: boolean;
}

/** A delivery before an attempt. */
export interface Attempted {
  readonly attempts: number;
  readonly createdAt: Date;
  /** Consecutive failures of its receiver. */
  readonly failures?: number;
}

/**
 * Whether to retry after a failed attempt, and when. Pauses grow to six hours. If the attempt counts, a busy receiver
 * may request a longer pause but not a shorter one. Otherwise it could use up all attempts at once.
 */
export function afterFailure(error: unknown, { attempts, createdAt, failures = 0 }: Attempted): Verdict {
  const final = { retryS: 0, holdS: 0, counts: true };
  if (error instanceof RecipientGoneError) return { state: "dropped", ...final };
  if (error instanceof RefusedForGoodError) return { state: "dead", ...final };
  const pauseS = error instanceof BusyError ? Math.min(Math.max(error.waitS, 1), LONGEST_PAUSE_S) : 0;
  if (error instanceof BusyError && !error.counts) {
    const isTooLate = Date.now() - createdAt.getTime() > LONGEST_WAITING_MS;
    const next = { retryS: isTooLate ? 0 : pauseS, holdS: pauseS, counts: false };
    return { state: isTooLate ? "dead" : "waiting", ...next };
  }
  const doublings = failures + 1 - FAILURES_BEFORE_HOLD;
  const holdS = doublings < 0 ? 0 : Math.min(2 ** doublings, LONGEST_HOLD_S);
  if (attempts + 1 >= DELIVERY_ATTEMPTS) return { state: "dead", ...final, holdS };
  const retryS = Math.max(pauseS, Math.exp(Math.min(attempts + 1, 10)));
  return { state: "waiting", retryS, holdS, counts: true };
}

/** Parses `Retry-After` (RFC 9110, section 10.2.3), in seconds or as a time. */
export function secondsToWait(retryAfter = ""): number | undefined {
  if (/^\d+(\.\d+)?$/.test(retryAfter)) return Number(retryAfter);
  // A valid time begins with the day of the week, but Date.parse also takes texts like "-5".
  const until = /^[a-z]/i.test(retryAfter) ? Date.parse(retryAfter) : Number.NaN;
  return Number.isNaN(until) ? undefined : Math.max(0, (until - Date.now()) / 1000);
}

/** Retries until the database has stored that a delivery was sent, because it would be sent again otherwise. */
export async function retryUntilStored(signal: AbortSignal, store: () => Promise<void>): Promise<void> {
  for (let pause = 100; ; pause = Math.min(pause * 2, 5_000)) {
    try {
      return await store();
    } catch (error) {
      if (signal.aborted) throw error;
      await delay(pause, undefined, { signal }).catch(() => undefined);
    }
  }
}
