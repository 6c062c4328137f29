import type { RequestHandler, Response } from "express";
import { siteIsBusy } from "./errors.ts";
import { networkOf } from "./network.ts";

/** One, and then a rest: cheap requests have two thirds of the process to themselves. */
const FEW: PlaceLimits = { running: 1, waiting: 24, waitMs: 5_000, restMs: 400 };

/**
 * An answer that has been going out for so long, in milliseconds, is as slow as its reader: it costs little from then
 * on, and must not keep its place from others for as long as it takes. Shorter than they wait, or they would be sent away.
 */
const SLOW_READER_MS = 3_000;

/** Lets a handler do its work only when there is a place for it. */
export type Admission = <Params>(handler: RequestHandler<Params>) => RequestHandler<Params>;

/**
 * Admission for one kind of dear work: of all requests whose handlers are wrapped by it one is at work at a time, a few
 * more wait a little, and the rest are answered 503 at once. What is cheap goes on beside them, whoever asks.
 *
 * A place is held until the handler is done: one whose client has gone away still works, and one that streams is done
 * when its answer has been read or its connection has ended, or counts as done after `slowReaderMs`.
 */
export function admitFew({
  slowReaderMs = SLOW_READER_MS,
  ...limits
}: Partial<PlaceLimits> & { slowReaderMs?: number } = {}): Admission {
  const places = new Places({ ...FEW, ...limits });
  return (handler) => async (req, res, next) => {
    const place = await places.take(networkOf(req.address), whenClosed(res));
    if (place === "gone") return;
    if (place === "busy") throw siteIsBusy();
    const timer = setTimeout(() => res.headersSent && place(), slowReaderMs);
    try {
      await handler(req, res, next);
    } finally {
      clearTimeout(timer);
      place();
    }
  };
}

/** Aborts when there is nobody to answer any more. */
function whenClosed(res: Pick<Response<unknown>, "once" | "closed">): AbortSignal {
  const gone = new AbortController();
  if (res.closed) gone.abort();
  else res.once("close", () => gone.abort());
  return gone.signal;
}

/** How much of one kind of work goes on at a time. */
export interface PlaceLimits {
  readonly running: number;
  /** Of all callers together. */
  readonly waiting: number;
  /** Who waits longer is sent away, in milliseconds. */
  readonly waitMs: number;
  /**
   * A place that was given back rests for twice as long as it was held, but no longer than this, in milliseconds. What
   * is cheap needs the process several times for a moment, and would wait for a piece of dear work each time.
   */
  readonly restMs: number;
}

/** Why there is no place: too many wait, or it took too long; or the caller has gone away meanwhile. */
export type NoPlace = "busy" | "gone";

/** How often as long as it was held a place rests. */
const REST = 2;

interface Waiter {
  readonly caller: string;
  settle(result: (() => void) | NoPlace): void;
}

/**
 * Places to work in, and a short queue before them that is fair: callers take turns, however many requests each has
 * waiting, and where the queue is full, a newcomer takes the last place of the caller who holds most of it. So nobody
 * can fill it alone; and where all requests come from one caller, as behind a proxy that is not told to the site,
 * they wait in the order in which they came.
 *
 * p-limit and p-queue know one line in which everybody waits, and no way to send somebody else away.
 */
export class Places {
  readonly #limits: PlaceLimits;
  #running = 0;
  #resting = 0;
  #waiting = 0;
  /** By caller; whose turn it is comes first. */
  readonly #queues = new Map<string, Waiter[]>();

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Resolves to what gives the place back, or to why there is none. `gone` aborts when nobody waits any more. */
  take(caller: string, gone: AbortSignal): Promise<(() => void) | NoPlace> {
    if (gone.aborted) return Promise.resolve("gone");
    if (this.#running + this.#resting < this.#limits.running && this.#waiting === 0)
      return Promise.resolve(this.#occupy());
    if (this.#waiting >= this.#limits.waiting && !this.#makeRoom(caller)) return Promise.resolve("busy");
    return this.#wait(caller, gone);
  }

  #wait(caller: string, gone: AbortSignal): Promise<(() => void) | NoPlace> {
    return new Promise((resolve) => {
      const leave = (why: NoPlace) => {
        this.#remove(waiter);
        waiter.settle(why);
      };
      const leaveGone = () => leave("gone");
      const timer = setTimeout(leave, this.#limits.waitMs, "busy");
      const waiter: Waiter = {
        caller,
        settle: (result) => {
          clearTimeout(timer);
          gone.removeEventListener("abort", leaveGone);
          resolve(result);
        },
      };
      gone.addEventListener("abort", leaveGone);
      this.#queues.set(caller, [...(this.#queues.get(caller) ?? []), waiter]);
      this.#waiting += 1;
    });
  }

  #occupy(): () => void {
    this.#running += 1;
    const since = performance.now();
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.#running -= 1;
      this.#resting += 1;
      const rest = Math.min(REST * (performance.now() - since), this.#limits.restMs);
      if (rest < 1) setImmediate(() => this.#wake());
      else setTimeout(() => this.#wake(), rest);
    };
  }

  #wake(): void {
    this.#resting -= 1;
    const [next] = this.#queues.values().next().value ?? [];
    if (!next) return;
    const others = this.#remove(next);
    this.#queues.delete(next.caller);
    if (others.length > 0) this.#queues.set(next.caller, others);
    next.settle(this.#occupy());
  }

  /** Sends away the latest of the caller who has most waiting, if `caller` has fewer even with one more. */
  #makeRoom(caller: string): boolean {
    const own = this.#queues.get(caller)?.length ?? 0;
    const longest = [...this.#queues.values()].reduce(
      (one, other) => (other.length > one.length ? other : one),
      [],
    );
    const last = longest.at(-1);
    if (!last || longest.length <= own + 1) return false;
    this.#remove(last);
    last.settle("busy");
    return true;
  }

  /** Returns the others of the same caller. */
  #remove(waiter: Waiter): Waiter[] {
    const queue = this.#queues.get(waiter.caller) ?? [];
    const others = queue.filter((each) => each !== waiter);
    this.#waiting -= queue.length - others.length;
    if (others.length > 0) this.#queues.set(waiter.caller, others);
    else this.#queues.delete(waiter.caller);
    return others;
  }
}
