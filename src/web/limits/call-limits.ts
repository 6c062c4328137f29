import { createHmac, randomUUID } from "node:crypto";
import type { Knex } from "knex";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { withTimeout } from "../../db/running-time.ts";
import { LimitWindow, type Policy, type Report, type Sharing } from "./limit-window.ts";
import { exchangeWindows, leaveProcesses, type ReportedWindow } from "./queries.ts";

/** The maximum number of clients. The least recently seen are evicted, so that a flood of addresses takes no more memory. */
const REMEMBERED_AT_MOST = 50_000;
/** The maximum number of clients in one exchange; the next one reports the rest. */
const TOLD_AT_MOST = 5_000;
/** Seconds between exchanges while there are calls to report. */
export const EXCHANGE_S = 1;
/** Milliseconds between exchanges while a client is fast, or needs more quota than this process may spend. */
const HURRY_MS = 150;
/** How long a call may wait for quota before it is refused. */
const WAIT_MS = 2_000;
/** The heartbeat of a process without calls to report. */
const BEAT_MS = 5_000;
/** A database that takes longer counts as down: each process then spends its own share of a quota. */
const PATIENCE_MS = 600;

export interface Verdict {
  readonly isAllowed: boolean;
  readonly policy: Policy;
  /** Calls that the client has left. */
  readonly left: number;
  /** Whole milliseconds until the quota is full again. */
  readonly endsInMs: number;
}

export interface CallLimitsOptions {
  readonly db: Knex;
  readonly log: Logger;
  /** The site's secret, a key for the hashes of clients in the database. */
  readonly secret: string;
  readonly atMost?: number;
}

/** A call that waits for quota. */
interface Waiting {
  readonly window: LimitWindow;
  readonly cost: number;
  readonly since: number;
  settle(verdict: Verdict): void;
}

/**
 * Counts calls by client and policy, in memory. Processes of one site share their counts through the database: one
 * statement a second while there are calls, and more for clients near their limit.
 *
 * The package rate-limiter-flexible, which limits log-ins, either writes to the database with each call or counts in
 * one process only.
 */
export class CallLimits {
  readonly #options: CallLimitsOptions;
  readonly #processId = randomUUID();
  readonly #windows: LRUCache<string, LimitWindow>;
  /** Windows with unreported calls, by client. */
  readonly #touched = new Map<string, LimitWindow>();
  #waiting: Waiting[] = [];
  #sharing: Sharing = { processes: 1, isDown: false };
  #exchanging: Promise<void> | undefined;
  #exchangedAt = Number.NEGATIVE_INFINITY;
  #debounce: NodeJS.Timeout | undefined;

  constructor(options: CallLimitsOptions) {
    this.#options = options;
    this.#windows = new LRUCache({
      max: options.atMost ?? REMEMBERED_AT_MOST,
      dispose: (_window, client) => this.#touched.delete(client),
    });
  }

  /** How many processes share the limits, as of the last exchange. */
  get processes(): number {
    return this.#sharing.processes;
  }

  /** Counts a client's call. Returns a promise if this process's quota is used up but others may have some left. */
  count(policy: Policy, client: string, wanted = 1): Verdict | Promise<Verdict> {
    const now = performance.now();
    const cost = Math.min(wanted, policy.quota);
    const window = this.#windowOf(policy, `${policy.name} ${client}`, now);
    if (window.spend(cost, now, this.#sharing)) {
      if (window.isLow(this.#sharing) || window.hasUnreported(this.#sharing)) this.#exchangeSoon();
      return createVerdict(window, true, now);
    }
    if (!window.mayRequestGrant(cost, this.#sharing)) return createVerdict(window, false, now, cost);
    this.#exchangeSoon();
    return new Promise((settle) => this.#waiting.push({ window, cost, since: now, settle }));
  }

  /** Undoes a client's call that was just counted. */
  takeBack(policy: Policy, client: string, wanted = 1): void {
    this.#windows.get(`${policy.name} ${client}`)?.takeBack(Math.min(wanted, policy.quota));
  }

  /** Exchanges counts with the other processes. Never rejects; call it again and again. */
  async exchange(): Promise<void> {
    this.#exchanging ??= this.#exchange().finally(() => {
      this.#exchanging = undefined;
    });
    await withTimeout(PATIENCE_MS, this.#exchanging).catch((error) => this.#noteAway(error));
    this.#settle();
  }

  /** Exchanges if there are calls to report, else as a heartbeat. */
  async exchangeIfDue(): Promise<void> {
    const now = performance.now();
    const isNews = [...this.#touched.values()].some((window) => window.shouldReport(now, this.#sharing));
    if (isNews || this.#sharing.isDown || now - this.#exchangedAt >= BEAT_MS) await this.exchange();
  }

  /** Reports the rest and leaves the group of processes. Never rejects. */
  async leave(): Promise<void> {
    clearTimeout(this.#debounce);
    await this.exchange();
    await leaveProcesses(this.#options.db, this.#processId).catch((error) => this.#noteAway(error));
  }

  #windowOf(policy: Policy, client: string, now: number): LimitWindow {
    const known = this.#windows.get(client);
    const window = known && known.endsIn(now) > 0 ? known : new LimitWindow(policy, now);
    if (window !== known) this.#windows.set(client, window);
    this.#touched.set(client, window);
    return window;
  }

  #exchangeSoon(): void {
    const wait = Math.max(0, HURRY_MS - (performance.now() - this.#exchangedAt));
    this.#debounce ??= setTimeout(() => {
      this.#debounce = undefined;
      void this.exchange();
    }, wait).unref();
  }

  async #exchange(): Promise<void> {
    const { db, secret } = this.#options;
    const now = performance.now();
    this.#exchangedAt = now;
    const told = new Map<string, { window: LimitWindow; told: Report & { upTo: number } }>();
    const rows: ReportedWindow[] = [];
    for (const [client, window] of this.#news(now)) {
      const name = createHmac("sha256", secret).update(client).digest("base64url");
      const news = window.report(now, this.#sharing);
      told.set(name, { window, told: news });
      const { quota, windowMs } = window.policy;
      rows.push({ client: name, ageMs: windowMs - window.endsIn(now), windowMs, quota, ...news });
    }
    try {
      const { processes, windows } = await exchangeWindows(db, this.#processId, rows);
      const heardAt = performance.now();
      for (const shared of windows) {
        const mine = told.get(shared.client);
        mine?.window.applyShared(shared, mine.told, heardAt);
      }
      if (this.#sharing.isDown) this.#options.log.info("calls are counted together again");
      this.#sharing = { processes, isDown: false };
    } catch (error) {
      for (const { window, told: news } of told.values()) window.revertReport(news);
      this.#noteAway(error);
    }
  }

  /** The windows to report, by client; evicts those that are over. */
  #news(now: number): [string, LimitWindow][] {
    const news: [string, LimitWindow][] = [];
    for (const [client, window] of this.#touched) {
      if (window.endsIn(now) <= 0) this.#touched.delete(client);
      else if (window.shouldReport(now, this.#sharing) || window.isLow(this.#sharing))
        news.push([client, window]);
      if (news.length === TOLD_AT_MOST) break;
    }
    return news;
  }

  /** Decides on the waiting calls; some keep waiting. */
  #settle(): void {
    const now = performance.now();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const call of waiting) {
      const { window, cost, since, settle } = call;
      const isOver = window.endsIn(now) <= 0;
      const isLate = now - since > WAIT_MS;
      if (isOver || window.spend(cost, now, this.#sharing)) settle(createVerdict(window, true, now));
      else if (isLate || !window.mayRequestGrant(cost, this.#sharing))
        settle(createVerdict(window, false, now, cost));
      else this.#waiting.push(call);
    }
    if (this.#waiting.length > 0) this.#exchangeSoon();
  }

  #noteAway(error: unknown): void {
    if (!this.#sharing.isDown) {
      this.#options.log.warn(
        { err: error },
        "calls cannot be counted together: each process counts its part",
      );
    }
    this.#sharing = { ...this.#sharing, isDown: true };
  }
}

function createVerdict(window: LimitWindow, isAllowed: boolean, now: number, cost = 1): Verdict {
  const left = window.left(now);
  return {
    isAllowed,
    policy: window.policy,
    // This call cannot use the quota that other processes hold.
    left: isAllowed ? left : Math.min(left, cost - 1),
    endsInMs: Math.max(0, Math.round(window.endsIn(now))),
  };
}
