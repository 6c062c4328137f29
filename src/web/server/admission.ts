import type { ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import type { RequestHandler } from "express";
import pLimit, { type LimitFunction } from "p-limit";
import { siteIsBusy } from "../pages/errors.ts";

/** One at a time, with a pause before the next in line, so that cheap requests get two thirds of the process. */
const FEW: SlotLimits = { running: 1, waiting: 24, waitMs: 5_000, pauseMs: 400 };

/**
 * After sending for this many milliseconds, the client is slow and not the work. Others wait longer for a slot than
 * this.
 */
const SLOW_READER_MS = 3_000;

/** Wraps a handler so that it runs only when it gets a slot. */
export type Admission = <Params>(handler: RequestHandler<Params>) => RequestHandler<Params>;

/**
 * Admission for one kind of expensive work. One of the wrapped handlers runs at a time, a few more wait briefly, and
 * the rest get 503 at once. Cheap requests are not delayed.
 *
 * A slot is held until the handler is done, even if its client is gone; a stream counts as done after `slowReaderMs`.
 */
export function admitFew({
  slowReaderMs = SLOW_READER_MS,
  ...limits
}: Partial<SlotLimits> & { slowReaderMs?: number } = {}): Admission {
  const slots = new Slots({ ...FEW, ...limits });
  return (handler) => async (req, res, next) => {
    const release = await slots.take(whenClosed(res));
    if (!release) return;
    const timer = setTimeout(() => res.headersSent && release(), slowReaderMs);
    try {
      await handler(req, res, next);
    } finally {
      clearTimeout(timer);
      release();
    }
  };
}

/** Aborts when the client is gone. */
export function whenClosed(res: Closable): AbortSignal {
  const gone = new AbortController();
  onceClosed(res, () => gone.abort());
  return gone.signal;
}

/** Calls back when a response was sent or its client is gone. */
export function onceClosed(res: Closable, callback: () => void): void {
  // A response that is already closed emits no second "close".
  if (res.closed) callback();
  else res.once("close", callback);
}

type Closable = Pick<ServerResponse, "once" | "closed">;

/** Limits for one kind of work. */
export interface SlotLimits {
  readonly running: number;
  readonly waiting: number;
  /** Milliseconds after which a waiting request gets 503. */
  readonly waitMs: number;
  /**
   * While requests wait for slots, a released one stays empty for twice the time that the process worked while it was
   * held, at most this many milliseconds. That is multiplied by the kinds of work that requests wait for, so all kinds
   * together leave time for cheap requests.
   */
  readonly pauseMs: number;
}

/** The pause relative to the work before it. */
const PAUSE = 2;

/** The kinds of work that requests wait for. */
const crowded = new Set<Slots>();

/** Slots for one kind of work, with a queue of limited length. */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #limit: LimitFunction;
  /** Requests that have a slot or wait for one. */
  #taken = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
    this.#limit = pLimit(limits.running);
  }

  /**
   * Resolves to a function that releases the slot, or to undefined if `gone` aborts first.
   * @throws HttpError 503 if too many wait, or the wait takes too long
   */
  take(gone?: AbortSignal): Promise<(() => void) | undefined> {
    const { running, waiting, waitMs, pauseMs } = this.#limits;
    if (gone?.aborted) return Promise.resolve(undefined);
    if (this.#taken >= running + waiting) return Promise.reject(siteIsBusy());
    this.#count(1);
    return new Promise((resolve, reject) => {
      let hasLeft = false;
      const leave = (settle: () => void) => {
        stopWaiting();
        hasLeft = true;
        this.#count(-1);
        settle();
      };
      const leaveGone = () => leave(() => resolve(undefined));
      const timer = setTimeout(() => leave(() => reject(siteIsBusy())), waitMs);
      const stopWaiting = () => {
        clearTimeout(timer);
        gone?.removeEventListener("abort", leaveGone);
      };
      gone?.addEventListener("abort", leaveGone);
      void this.#limit(async () => {
        if (hasLeft) return;
        stopWaiting();
        const held = Promise.withResolvers<void>();
        resolve(held.resolve);
        const since = performance.eventLoopUtilization();
        await held.promise;
        // Idle time was spent waiting for the database, and left room for other requests.
        const { active } = performance.eventLoopUtilization(since);
        if (crowded.size > 0) await delay(Math.min(PAUSE * active, pauseMs) * crowded.size);
        this.#count(-1);
      });
    });
  }

  #count(change: number): void {
    this.#taken += change;
    if (this.#taken > this.#limits.running) crowded.add(this);
    else crowded.delete(this);
  }
}
