import { Worker } from "node:worker_threads";
import { Slots } from "../http/admission.ts";
import { siteIsBusy } from "../http/errors.ts";
import type { IndexedKind } from "../kinds/found-kinds.ts";
import type { IndexData } from "./index/build.ts";
import type { RecordToIndex } from "./index/records.ts";
import type { Found, SearchRange } from "./index/search-index.ts";
import type { Answer, Order } from "./search-thread-host.ts";

/** One searches while another one's answer is on its way; the rest wait. */
const LIMITS = { running: 2, waiting: 24, waitMs: 2_000, pauseMs: 0 };
/** No search over fewer records takes long enough to need a thread. */
export const THREAD_RECORDS = 2_000;
/** Before a thread that ended by itself is started again. */
const RESTART_MS = 1_000;

/** The records of a kind as the thread has them. */
interface Kept {
  readonly data: IndexData;
  /** What has changed since, by id; undefined: removed. */
  readonly changes: Map<string, RecordToIndex | undefined>;
}

interface Waiting {
  /** Who searches. */
  readonly thread: Worker;
  readonly resolve: (found: Found) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A thread for searches that would hold up other requests. It has the same records as the indexes of the process, whose
 * large arrays both share, and gets each change before the searches that come after it.
 */
export class SearchThread {
  #thread: Worker | undefined;
  #isClosed = false;
  #number = 0;
  readonly #kept = new Map<IndexedKind, Kept>();
  readonly #waiting = new Map<number, Waiting>();
  readonly #slots = new Slots(LIMITS);
  readonly #onFailure: (error: unknown) => void;

  /** @param onFailure gets the reason why the thread ended by itself; it is restarted */
  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** Whether searches can be left to it. */
  get isRunning(): boolean {
    return this.#thread !== undefined;
  }

  /** Takes a new index of a kind. */
  use(kind: IndexedKind, data: IndexData): void {
    const before = this.#kept.get(kind);
    this.#kept.set(kind, { data, changes: new Map() });
    if (before && before.data.size > THREAD_RECORDS) this.#renew();
    else this.#post({ use: { kind, data } });
  }

  /** Takes changes of that index, see `SearchIndex.change`. */
  change(kind: IndexedKind, changed: readonly RecordToIndex[], removed: readonly string[]): void {
    const changes = this.#kept.get(kind)?.changes;
    for (const record of changed) changes?.set(record.id, record);
    for (const id of removed) changes?.set(id, undefined);
    this.#post({ change: { kind, changed, removed } });
  }

  /** Starts the thread if it does not run. */
  start(): void {
    if (this.#thread || this.#isClosed) return;
    const module = new URL("./search-thread-host.ts", import.meta.url).href;
    const thread = new Worker(new URL("./thread.ts", import.meta.url), { workerData: { module } });
    this.#thread = thread;
    thread.on("message", (answer: Answer) => this.#settle(answer));
    thread.once("error", (error) => this.#onFailure(error));
    thread.once("exit", () => this.#end(thread));
    // A process may end while its thread waits for work.
    thread.unref();
    for (const [kind, { data, changes }] of this.#kept) {
      this.#post({ use: { kind, data } });
      const changed = [...changes.values()].filter((record) => record !== undefined);
      const removed = [...changes.keys()].filter((id) => changes.get(id) === undefined);
      if (changes.size > 0) this.#post({ change: { kind, changed, removed } });
    }
  }

  /**
   * Searches in the thread.
   * @throws HttpError 503 if too many wait, or the thread ended
   */
  async search(kind: IndexedKind, query: string, range: SearchRange): Promise<Found> {
    const release = await this.#slots.take();
    try {
      if (!this.#thread) throw siteIsBusy();
      const { promise, resolve, reject } = Promise.withResolvers<Found>();
      const number = ++this.#number;
      this.#waiting.set(number, { thread: this.#thread, resolve, reject });
      this.#post({ search: { number, kind, query, range } });
      return await promise;
    } finally {
      release?.();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const threads = [this.#thread, ...[...this.#waiting.values()].map(({ thread }) => thread)];
    await Promise.all([...new Set(threads)].map((thread) => thread?.terminate()));
  }

  /**
   * Goes on with a new thread. One that is idle collects no garbage, so it would keep all of the index before: V8 does not
   * count shared memory as a reason to.
   */
  #renew(): void {
    const old = this.#thread;
    if (!old) return;
    this.#thread = undefined;
    this.start();
    this.#endIfDone(old);
  }

  /** Ends a replaced thread once it has answered all of its queries. */
  #endIfDone(thread: Worker): void {
    if (thread === this.#thread) return;
    if ([...this.#waiting.values()].every((waiting) => waiting.thread !== thread)) void thread.terminate();
  }

  #post(order: Order): void {
    this.#thread?.postMessage(order);
  }

  #settle({ number, found }: Answer): void {
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    if (!waiting) return;
    waiting.resolve(found);
    this.#endIfDone(waiting.thread);
  }

  #end(ended: Worker): void {
    for (const [number, { thread, reject }] of this.#waiting) {
      if (thread !== ended) continue;
      this.#waiting.delete(number);
      reject(siteIsBusy());
    }
    if (ended !== this.#thread) return;
    this.#thread = undefined;
    if (!this.#isClosed) setTimeout(() => this.start(), RESTART_MS).unref();
  }
}
