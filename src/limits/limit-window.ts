/** Whom a limit counts: the owner of API keys, a logged-in user, an anonymous session, an address, or all readers behind it. */
export type PolicyName = "key" | "user" | "session" | "address" | "site";

export interface Policy {
  /** In `RateLimit-Policy`. */
  readonly name: PolicyName;
  /** Calls that one client has within a window. */
  readonly quota: number;
  readonly windowMs: number;
  /** Other processes need not know of a few calls: no answer says how many are left. */
  readonly isQuiet: boolean;
}

/** What a process knows of the others. */
export interface Sharing {
  /** How many processes answer requests, this one included. */
  readonly processes: number;
  /** The database does not answer: each process counts by itself. */
  readonly isAway: boolean;
}

/** What the database is told of a window. */
export interface Told {
  /** Calls since the last time. */
  readonly spent: number;
  /** Calls beyond what was granted; below 0: so many are given back. */
  readonly taken: number;
  /** How many more would be needed. */
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

/** What all processes together may spend of a quota without asking. */
const UNASKED = 1 / 20;
/** The part of a quota that may be spent until others hear of it. */
const UNHEARD = 1 / 100;
/** So long after a client's last call, what is left of a grant is given back. */
const IDLE_MS = 1_000;

/**
 * The calls of one client in one window, as one process counts them. Times are those of `performance.now()`.
 *
 * A process that is alone spends what is left. Of several, each spends what the database has granted it, and asks for
 * more before that is used up: so all together never spend more than the quota, but for the twentieth that they may spend
 * without asking. The less is left, the smaller are the grants.
 */
export class LimitWindow {
  readonly policy: Policy;
  #beganAt: number;
  #lastAt: number;
  #spent = 0;
  #granted = 0;
  /** How much of `#spent` the database knows. */
  #told = 0;
  /** What the calls cost that wait. */
  #needed = 0;
  #others = { spent: 0, claimed: 0, perMs: 0, at: 0 };
  /** What was last said to be left: within a window it never goes up. */
  #saidLeft: number;

  constructor(policy: Policy, now: number) {
    this.policy = policy;
    this.#beganAt = now;
    this.#lastAt = now;
    this.#saidLeft = policy.quota;
  }

  /** Milliseconds until the next window; 0 or less: this one is over. */
  endsIn(now: number): number {
    return this.#beganAt + this.policy.windowMs - now;
  }

  /** Counts a call, if there is quota for it that this process may spend. */
  spend(cost: number, now: number, sharing: Sharing): boolean {
    this.#lastAt = now;
    if (this.#spent + cost > this.#allowed(sharing)) return false;
    this.#spent += cost;
    return true;
  }

  /** Takes a call back that another limit has refused. */
  takeBack(cost: number): void {
    this.#spent -= cost;
  }

  /** Whether it is worth asking the database for a call that this process may not spend; that is noted. */
  mayAsk(cost: number, sharing: Sharing): boolean {
    if (sharing.processes <= 1 || sharing.isAway || this.#spent + cost > this.#room()) return false;
    this.#needed += cost;
    return true;
  }

  /** Whether to ask for more now, so that no call has to wait. */
  isLow(sharing: Sharing): boolean {
    if (sharing.processes <= 1 || sharing.isAway || this.#unclaimed() <= 0) return false;
    const mark = Math.min(this.#portion(sharing), this.#unasked(sharing)) / 2;
    return this.#allowed(sharing) - this.#spent <= Math.max(1, mark);
  }

  /** Whether others are to hear soon of this one's calls, so that their answers say truly what is left. */
  isUnheard({ processes, isAway }: Sharing): boolean {
    if (processes <= 1 || isAway || this.policy.isQuiet) return false;
    return this.#spent - this.#told >= Math.max(2, this.policy.quota * UNHEARD);
  }

  /** Whether other processes should know of this one's calls, or may have what it does not use. */
  isNews(now: number, sharing: Sharing): boolean {
    if (this.policy.isQuiet && this.#spent <= this.#unasked(sharing)) return false;
    return (
      this.#spent !== this.#told || this.#needed > 0 || (this.#isIdle(now) && this.#granted > this.#spent)
    );
  }

  /** What to tell the database; `hear` or `keep` has to follow. */
  tell(now: number, sharing: Sharing): Told & { readonly upTo: number } {
    const wants = this.#needed > 0 || (!this.#isIdle(now) && this.isLow(sharing));
    // Of many calls at once, half of what is left: others may have as many.
    const forWaiting = Math.min(this.#needed, Math.ceil(this.#unclaimed() / 2));
    const wanted = wants ? Math.max(forWaiting, this.#portion(sharing)) : 0;
    const debt = this.#spent - this.#granted;
    const taken = this.#isIdle(now) && !wants ? debt : Math.max(0, debt);
    this.#granted += taken;
    this.#needed = 0;
    return { spent: this.#spent - this.#told, taken, wanted, upTo: this.#spent };
  }

  /** Takes over what the database has answered. */
  hear(shared: Shared, { upTo }: { readonly upTo: number }, now: number): void {
    this.#told = upTo;
    this.#granted += shared.granted;
    // The least: an answer that was long under way makes a window look younger than it is.
    this.#beganAt = Math.min(this.#beganAt, now - shared.ageMs);
    const spent = Math.max(0, shared.spent - upTo);
    this.#others = {
      spent,
      claimed: Math.max(0, shared.claimed - this.#granted),
      perMs: spent / Math.max(1, now - this.#beganAt),
      at: now,
    };
  }

  /** Nobody heard what was told. */
  keep({ taken }: Told): void {
    this.#granted -= taken;
  }

  /**
   * Calls that the client has left in all processes. What others have answered since they were heard is guessed from what
   * they answered before; they have not answered more than they had been granted.
   */
  left(now: number): number {
    const { spent, claimed, perMs, at } = this.#others;
    const others = Math.min(spent + perMs * (now - at), Math.max(spent, claimed));
    const left = Math.floor(this.policy.quota - this.#spent - others);
    this.#saidLeft = Math.max(0, Math.min(this.#saidLeft, left));
    return this.#saidLeft;
  }

  /** How many calls this process may have spent. */
  #allowed(sharing: Sharing): number {
    const room = this.#room();
    if (sharing.processes <= 1) return room;
    if (!sharing.isAway) return Math.max(this.#granted, Math.min(room, this.#unasked(sharing)));
    return Math.max(this.#granted, Math.min(room, Math.floor(this.policy.quota / sharing.processes)));
  }

  /** The quota without what others have. */
  #room(): number {
    return this.policy.quota - this.#others.claimed;
  }

  #unclaimed(): number {
    return this.#room() - Math.max(this.#granted, this.#spent);
  }

  #unasked({ processes }: Sharing): number {
    return Math.ceil((this.policy.quota * UNASKED) / processes);
  }

  #portion({ processes }: Sharing): number {
    return Math.max(1, Math.ceil(this.#unclaimed() / (2 * processes)));
  }

  #isIdle(now: number): boolean {
    return now - this.#lastAt >= IDLE_MS;
  }
}
