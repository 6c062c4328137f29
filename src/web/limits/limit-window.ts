/**
 * The clients a limit counts: owners of API keys, logged-in users, anonymous sessions, addresses, or all clients behind
 * one.
 */
export type PolicyName = "key" | "user" | "session" | "address" | "site";

export interface Policy {
  /** In `RateLimit-Policy`. */
  readonly name: PolicyName;
  /** The maximum number of calls by one client within a window. */
  readonly quota: number;
  readonly windowMs: number;
  /** No response shows how many calls are left, so a few calls are not reported to other processes. */
  readonly isQuiet: boolean;
}

/** What a process knows about the others. */
export interface Sharing {
  /** How many processes answer requests, this one included. */
  readonly processes: number;
  /** Whether the database is down, so that each process counts by itself. */
  readonly isDown: boolean;
}

/** What a process reports to the database about a window. */
export interface Report {
  /** Calls since the last report. */
  readonly spent: number;
  /** Calls beyond what was granted; a negative number returns unused ones. */
  readonly taken: number;
  /** How many more calls the process requests. */
  readonly wanted: number;
}

/** A window as all processes share it. */
export interface Shared {
  readonly spent: number;
  /** What all processes were granted, spent or not. */
  readonly claimed: number;
  /** What this process was granted of what it wanted. */
  readonly granted: number;
  /** How long ago the window began. */
  readonly ageMs: number;
}

/** The share of a quota that all processes together may spend without a grant. */
const FREE_SHARE = 1 / 20;
/** The share of a quota that a process may spend before it reports to the others. */
const UNREPORTED_SHARE = 1 / 100;
/** A grant's rest is returned this long after the client's last call. */
const IDLE_MS = 1_000;

/**
 * The calls of one client in one window, as one process counts them. Times are those of `performance.now()`.
 *
 * A single process spends what is left. With several, each spends what the database has granted it, and requests more
 * before that is used up. Together they never exceed the quota by more than the twentieth that needs no grant. Grants
 * shrink as the rest does.
 */
export class LimitWindow {
  readonly policy: Policy;
  #beganAt: number;
  #lastAt: number;
  #spent = 0;
  #granted = 0;
  /** How much of `#spent` has been reported to the database. */
  #reported = 0;
  /** The cost of the waiting calls. */
  #needed = 0;
  #others = { spent: 0, claimed: 0, perMs: 0, at: 0 };
  /** The remaining calls as last shown: within a window they never go up. */
  #shownLeft: number;

  constructor(policy: Policy, now: number) {
    this.policy = policy;
    this.#beganAt = now;
    this.#lastAt = now;
    this.#shownLeft = policy.quota;
  }

  /** Milliseconds until the next window; 0 or less if this one is over. */
  endsIn(now: number): number {
    return this.#beganAt + this.policy.windowMs - now;
  }

  /** Counts a call if this process may spend that much; otherwise returns false. */
  spend(cost: number, now: number, sharing: Sharing): boolean {
    this.#lastAt = now;
    if (this.#spent + cost > this.#allowed(sharing)) return false;
    this.#spent += cost;
    return true;
  }

  /** Undoes a call that another limit has refused. */
  takeBack(cost: number): void {
    this.#spent -= cost;
  }

  /** Whether to request a grant for a call that this process may not spend; if so, counts the call as waiting. */
  mayRequestGrant(cost: number, sharing: Sharing): boolean {
    if (sharing.processes <= 1 || sharing.isDown || this.#spent + cost > this.#room()) return false;
    this.#needed += cost;
    return true;
  }

  /** Whether to request more now, so that no call has to wait. */
  isLow(sharing: Sharing): boolean {
    if (sharing.processes <= 1 || sharing.isDown || this.#unclaimed() <= 0) return false;
    const mark = Math.min(this.#portion(sharing), this.#freeShare(sharing)) / 2;
    return this.#allowed(sharing) - this.#spent <= Math.max(1, mark);
  }

  /** Whether to report this process's calls soon, so that the others show the right number of remaining calls. */
  hasUnreported({ processes, isDown }: Sharing): boolean {
    if (processes <= 1 || isDown || this.policy.isQuiet) return false;
    return this.#spent - this.#reported >= Math.max(2, this.policy.quota * UNREPORTED_SHARE);
  }

  /** Whether there are calls to report, or unused ones to return. */
  shouldReport(now: number, sharing: Sharing): boolean {
    if (this.policy.isQuiet && this.#spent <= this.#freeShare(sharing)) return false;
    return (
      this.#spent !== this.#reported || this.#needed > 0 || (this.#isIdle(now) && this.#granted > this.#spent)
    );
  }

  /** The report for the database; call `applyShared` or `revertReport` afterwards. */
  report(now: number, sharing: Sharing): Report & { readonly upTo: number } {
    const wants = this.#needed > 0 || (!this.#isIdle(now) && this.isLow(sharing));
    // Many waiting calls get at most half of the rest: other processes may have as many.
    const forWaiting = Math.min(this.#needed, Math.ceil(this.#unclaimed() / 2));
    const wanted = wants ? Math.max(forWaiting, this.#portion(sharing)) : 0;
    const debt = this.#spent - this.#granted;
    const taken = this.#isIdle(now) && !wants ? debt : Math.max(0, debt);
    this.#granted += taken;
    this.#needed = 0;
    return { spent: this.#spent - this.#reported, taken, wanted, upTo: this.#spent };
  }

  /** Applies the database's response. */
  applyShared(shared: Shared, { upTo }: { readonly upTo: number }, now: number): void {
    this.#reported = upTo;
    this.#granted += shared.granted;
    // The minimum: a delayed response makes a window look younger than it is.
    this.#beganAt = Math.min(this.#beganAt, now - shared.ageMs);
    const spent = Math.max(0, shared.spent - upTo);
    this.#others = {
      spent,
      claimed: Math.max(0, shared.claimed - this.#granted),
      perMs: spent / Math.max(1, now - this.#beganAt),
      at: now,
    };
  }

  /** Undoes a report that did not reach the database. */
  revertReport({ taken }: Report): void {
    this.#granted -= taken;
  }

  /**
   * Calls that the client has left in all processes. The calls of others since their last report are estimated from their
   * rate before; they are at most what the others were granted.
   */
  left(now: number): number {
    const { spent, claimed, perMs, at } = this.#others;
    const others = Math.min(spent + perMs * (now - at), Math.max(spent, claimed));
    const left = Math.floor(this.policy.quota - this.#spent - others);
    this.#shownLeft = Math.max(0, Math.min(this.#shownLeft, left));
    return this.#shownLeft;
  }

  /** How many calls this process may spend in the window. */
  #allowed(sharing: Sharing): number {
    const room = this.#room();
    if (sharing.processes <= 1) return room;
    if (!sharing.isDown) return Math.max(this.#granted, Math.min(room, this.#freeShare(sharing)));
    return Math.max(this.#granted, Math.min(room, Math.floor(this.policy.quota / sharing.processes)));
  }

  /** The quota minus what others have claimed. */
  #room(): number {
    return this.policy.quota - this.#others.claimed;
  }

  #unclaimed(): number {
    return this.#room() - Math.max(this.#granted, this.#spent);
  }

  #freeShare({ processes }: Sharing): number {
    return Math.ceil((this.policy.quota * FREE_SHARE) / processes);
  }

  #portion({ processes }: Sharing): number {
    return Math.max(1, Math.ceil(this.#unclaimed() / (2 * processes)));
  }

  #isIdle(now: number): boolean {
    return now - this.#lastAt >= IDLE_MS;
  }
}
