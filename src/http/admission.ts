import { performance } from "node:perf_hooks";
import type { RequestHandler, Response } from "express";
import { siteIsBusy } from "./errors.ts";
import { networkOf } from "./network.ts";

/** One at a time, and then a rest: cheap requests get two thirds of the process. */
const FEW: SlotLimits = { running: 1, waiting: 24, waitMs: 5_000, restMs: 400 };

/** Milliseconds of sending after which the client is slow, not the work; others wait longer for a slot than this. */
const SLOW_READER_MS = 3_000;

/** Wraps a handler so that it runs only when it gets a slot. */
export type Admission = <Params>(handler: RequestHandler<Params>) => RequestHandler<Params>;

/**
 * Admission for one kind of expensive work. One of the wrapped handlers runs at a time, a few more wait briefly, and the
 * rest get 503 at once. Cheap requests are not held up.
 *
 * A slot is held until the handler is done, even if its client is gone; a stream counts as done after `slowReaderMs`.
 */
export function admitFew({
  slowReaderMs = SLOW_READER_MS,
  ...limits
}: Partial<SlotLimits> & { slowReaderMs?: number } = {}): Admission {
  const slots = new Slots({ ...FEW, ...limits }, BUSY);
  return (handler) => async (req, res, next) => {
    const slot = await slots.take(networkOf(req.address), whenClosed(res));
    if (slot === "gone") return;
    if (slot === "busy") throw siteIsBusy();
    const timer = setTimeout(() => res.headersSent && slot(), slowReaderMs);
    try {
      await handler(req, res, next);
    } finally {
      clearTimeout(timer);
      slot();
    }
  };
}

/** Aborts when the client is gone. */
function whenClosed(res: Pick<Response<unknown>, "once" | "closed">): AbortSignal {
  const gone = new AbortController();
  if (res.closed) gone.abort();
  else res.once("close", () => gone.abort());
  return gone.signal;
}

/** Limits for one kind of work. */
export interface SlotLimits {
  readonly running: number;
  /** Waiting requests of all callers together. */
  readonly waiting: number;
  /** Milliseconds after which a waiting caller is turned away. */
  readonly waitMs: number;
  /**
   * A released slot cools down to let cheap requests run: twice as long as the process worked while it was held, at most
   * this many milliseconds. It cools down longer if requests for other kinds of work wait, too.
   */
  readonly restMs: number;
}

/** Why there is no slot: too many requests wait, the wait took too long, or the caller is gone. */
export type NoSlot = "busy" | "gone";

/** The cool-down relative to the work before it: one kind of work gets a third of the process. */
const REST = 2;

/** Kinds of work that run, cool down or wait. */
type Busy = Set<Slots>;

/** The busy kinds of this process. */
const BUSY: Busy = new Set();

/** How much longer slots cool down if requests for this many kinds wait. Together they get half of the process at most. */
function stretch(kinds: number): number {
  return Math.max(1, kinds - 0.5);
}

interface Waiter {
  readonly caller: string;
  settle(result: (() => void) | NoSlot): void;
}

/**
 * Slots for work with a short, fair queue. Callers take turns, however many requests each has waiting. When the queue is
 * full, a new caller evicts the last request of the caller with the most. So no caller can fill the queue alone. Requests
 * of one caller, such as an unknown proxy, wait in order.
 *
 * p-limit and p-queue have a single queue, and cannot reject a request.
 */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #busy: Busy;
  #running = 0;
  #resting = 0;
  #waiting = 0;
  /** By caller, the next one first. */
  readonly #queues = new Map<string, Waiter[]>();

  /** @param busy shared with other kinds of work on the same event loop */
  constructor(limits: SlotLimits, busy: Busy = new Set()) {
    this.#limits = limits;
    this.#busy = busy;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Resolves to a function that releases the slot, or to why there is none. `gone` aborts when the caller leaves. */
  take(caller: string, gone: AbortSignal): Promise<(() => void) | NoSlot> {
    if (gone.aborted) return Promise.resolve("gone");
    if (this.#running + this.#resting < this.#limits.running && this.#waiting === 0)
      return Promise.resolve(this.#occupy());
    if (this.#waiting >= this.#limits.waiting && !this.#makeRoom(caller)) return Promise.resolve("busy");
    return this.#wait(caller, gone);
  }

  #wait(caller: string, gone: AbortSignal): Promise<(() => void) | NoSlot> {
    return new Promise((resolve) => {
      const leave = (why: NoSlot) => {
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
    this.#busy.add(this);
    const since = performance.eventLoopUtilization();
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.#running -= 1;
      this.#resting += 1;
      // Idle time was spent waiting for the database, and left room for other requests.
      const { active } = performance.eventLoopUtilization(since);
      const alone = Math.min(REST * active, this.#limits.restMs);
      const crowded = [...this.#busy].filter((kind) => kind !== this && kind.waiting > 0);
      const rest = alone * stretch(1 + crowded.length);
      if (rest < 1) setImmediate(() => this.#wake());
      else setTimeout(() => this.#wake(), rest);
    };
  }

  #wake(): void {
    this.#resting -= 1;
    const [next] = this.#queues.values().next().value ?? [];
    if (!next) {
      if (this.#running + this.#resting === 0) this.#busy.delete(this);
      return;
    }
    const others = this.#remove(next);
    this.#queues.delete(next.caller);
    if (others.length > 0) this.#queues.set(next.caller, others);
    next.settle(this.#occupy());
  }

  /** Turns away the last request of the caller with most waiting, if `caller` has fewer even with one more. */
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

  /** Returns the caller's other requests. */
  #remove(waiter: Waiter): Waiter[] {
    const queue = this.#queues.get(waiter.caller) ?? [];
    const others = queue.filter((each) => each !== waiter);
    this.#waiting -= queue.length - others.length;
    if (others.length > 0) this.#queues.set(waiter.caller, others);
    else this.#queues.delete(waiter.caller);
    return others;
  }
}
