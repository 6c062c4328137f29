import { hash } from "node:crypto";
import type { Knex } from "knex";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { withTimeout } from "../../settings/timers.ts";
import type { CallingKey } from "../../web/session/auth.ts";
import type { Scope } from "../../words/scopes.ts";
import { isGranted, type KeyUse } from "./grant-queries.ts";
import { KeyUses } from "./key-uses.ts";
import { hashKey, isWellFormedKey } from "./keys.ts";
import { findLiveKey, findLiveKeys, type LiveKey } from "./queries.ts";
import type { KeyError } from "./use-queries.ts";

/** How long a confirmed key is trusted. Keys in use are confirmed more often, see `check`. */
const MAX_AGE_MS = 800;
/** How long an unknown key is refused without a query. */
const UNKNOWN_FOR_MS = 500;
/** How long a confirmed key works while the database is down. */
const KEPT_WHILE_AWAY_MS = 60_000;
/** A database that takes longer to confirm a key counts as down. */
const PATIENCE_MS = 1_000;
const REMEMBERED_AT_MOST = 10_000;

// Declared here for the contexts of pages, which are below all features.
export interface KnownKeysOptions {
  /** Looks up the keys of requests. */
  readonly db: Knex;
  /** Confirms the keys in use and writes their uses; `db` by default. */
  readonly ownDb?: Knex;
  readonly log: Logger;
  /** Milliseconds that a confirmed key is trusted; 0 queries the database for each request. */
  readonly maxAgeMs?: number;
  /** Keys in memory at most; 10,000 by default. */
  readonly atMost?: number;
}

/** A key that was active when last confirmed. Times are those of `performance.now()`. */
interface KnownKey {
  readonly id: number;
  readonly userId: number;
  readonly expiresAt: number;
  /** Its permissions in addition to reading, and their end. */
  readonly scopes: ReadonlyMap<Scope, number>;
  /** When the statement that confirmed it began. */
  readonly confirmedAt: number;
}

interface LookUp {
  readonly beganAt: number;
  readonly found: Promise<LiveKey | undefined>;
}

/**
 * A cache of the active API keys that this process has seen lately, so that a request with a key needs no query. Every
 * process refuses a revoked, expired or deleted key within 0.8 s, and the one that calls `forgetUser` at once. Changed
 * scopes take effect as fast. No notification is needed: a key stays cached only while it is confirmed again and again.
 */
export class KnownKeys {
  readonly #db: Knex;
  readonly #ownDb: Knex;
  readonly #log: Logger;
  readonly #maxAgeMs: number;
  readonly #uses: KeyUses;
  /** By hash. */
  readonly #keys: LRUCache<string, KnownKey>;
  /** By hash, until when a key is refused without a query. A cache of its own, so that guesses evict no active key. */
  readonly #unknown: LRUCache<string, number>;
  readonly #lookUps = new Map<string, LookUp>();
  /** The hashes of keys that were used since the last check. */
  #inUse = new Set<string>();
  #confirming: Promise<void> | undefined;
  #isAway = false;

  constructor({ db, ownDb = db, log, maxAgeMs = MAX_AGE_MS, atMost = REMEMBERED_AT_MOST }: KnownKeysOptions) {
    this.#db = db;
    this.#ownDb = ownDb;
    this.#log = log;
    this.#maxAgeMs = maxAgeMs;
    this.#keys = new LRUCache({ max: atMost });
    this.#unknown = new LRUCache({ max: atMost });
    this.#uses = new KeyUses(ownDb, log);
  }

  /** The owner of a key that is known to be live; undefined: `find` has to tell. */
  peek(key: string): number | undefined {
    return this.#peek(nameOf(key))?.userId;
  }

  /**
   * The owner of a live key; undefined for one that is unknown, revoked or expired. A malformed one costs no query.
   * @throws where the database is away and the key was not confirmed within the last minute
   */
  async find(key: string): Promise<number | undefined> {
    return (await this.#find(key))?.userId;
  }

  /** The same key with what it may do now. */
  async findCalling(key: string): Promise<CallingKey | undefined> {
    const known = await this.#find(key);
    if (!known) return undefined;
    const now = performance.now();
    const live = [...known.scopes].filter(([, endsAt]) => now < endsAt);
    return { id: known.id, userId: known.userId, scopes: new Set(live.map(([scope]) => scope)) };
  }

  /** Whether a key is allowed a scope, as the database knows it (see `isGranted`). */
  isAllowed(transaction: Knex, use: KeyUse): Promise<boolean> {
    return isGranted(transaction, use);
  }

  /** Counts a request with a key that `peek` or `find` has confirmed; call it once for each request. */
  noteUse(key: string): void {
    const known = this.#keys.get(nameOf(key));
    if (known) this.#uses.note(known.id);
  }

  /** Counts a request with such a key that a limit refused. */
  noteRefused(key: string): void {
    const known = this.#keys.get(nameOf(key));
    if (known) this.#uses.noteRefused(known.id);
  }

  /** Keeps for the owner of such a key what went wrong with a request. */
  noteError(key: string, error: KeyError): void {
    const known = this.#keys.get(nameOf(key));
    if (known) this.#uses.noteError(known.id, error);
  }

  /** Writes the gathered uses. Never rejects; call it again and again, and at the end. */
  writeUses(): Promise<void> {
    return this.#uses.write();
  }

  /**
   * Invalidates a user's keys, so that the next request queries the database; call it after revoking some of them.
   */
  forgetUser(userId: number): void {
    for (const [name, known] of this.#keys) if (known.userId === userId) this.#keys.delete(name);
    // They may be from before the change.
    this.#lookUps.clear();
  }

  /**
   * Confirms the keys in use, all in one statement; makes no query if none is in use. Never rejects; call it again
   * and again, with pauses well below 0.8 s.
   */
  async check(): Promise<void> {
    if (!this.#confirming && this.#inUse.size === 0 && !this.#isAway) return;
    // One that takes too long is waited for again, instead of holding another connection.
    this.#confirming ??= this.#confirm().finally(() => {
      this.#confirming = undefined;
    });
    try {
      await withTimeout(PATIENCE_MS, this.#confirming);
      this.#isAway = false;
    } catch (error) {
      if (!this.#isAway) this.#log.warn({ err: error }, "API keys cannot be checked");
      this.#isAway = true;
    }
  }

  async #confirm(): Promise<void> {
    const inUse = [...this.#inUse].flatMap((name) => {
      const known = this.#keys.get(name);
      return known ? [{ name, id: known.id }] : [];
    });
    this.#inUse = new Set();
    const beganAt = performance.now();
    const live = await findLiveKeys(
      this.#ownDb,
      inUse.map(({ id }) => id),
    );
    const byId = new Map(live.map((key) => [key.id, key]));
    // Skips keys that were invalidated meanwhile.
    for (const { name, id } of inUse) if (this.#keys.has(name)) this.#keep(name, byId.get(id), beganAt);
  }

  async #find(key: string): Promise<KnownKey | undefined> {
    if (!isWellFormedKey(key)) return undefined;
    const name = nameOf(key);
    const known = this.#peek(name);
    if (known !== undefined || this.#isUnknown(name)) return known;
    const kept = this.#keys.get(name);
    const lookUp = this.#settle(name, this.#lookUp(name, key));
    if (!kept) return lookUp;
    return withTimeout(PATIENCE_MS, lookUp).catch(() => {
      // Another look-up may have confirmed it in between, or ended it.
      const now = this.#keys.get(name);
      return now && isYoung(now, KEPT_WHILE_AWAY_MS) ? now : lookUp;
    });
  }

  #peek(name: string): KnownKey | undefined {
    const known = this.#keys.get(name);
    const maxAgeMs = this.#isAway ? KEPT_WHILE_AWAY_MS : this.#maxAgeMs;
    if (!known || !isYoung(known, maxAgeMs)) return undefined;
    this.#inUse.add(name);
    return known;
  }

  #isUnknown(name: string): boolean {
    return performance.now() < (this.#unknown.get(name) ?? 0);
  }

  /** Queries the database, once for concurrent requests. */
  #lookUp(name: string, key: string): LookUp {
    const open = this.#lookUps.get(name);
    const beganAt = performance.now();
    if (open && beganAt - open.beganAt < this.#maxAgeMs) return open;
    const lookUp = { beganAt, found: findLiveKey(this.#db, hashKey(key)) };
    this.#lookUps.set(name, lookUp);
    return lookUp;
  }

  async #settle(name: string, lookUp: LookUp): Promise<KnownKey | undefined> {
    try {
      const found = await lookUp.found;
      if (this.#lookUps.get(name) === lookUp) this.#keep(name, found, lookUp.beganAt);
      return found && knownSince(found, lookUp.beganAt);
    } finally {
      if (this.#lookUps.get(name) === lookUp) this.#lookUps.delete(name);
    }
  }

  #keep(name: string, found: LiveKey | undefined, beganAt: number): void {
    if ((this.#keys.get(name)?.confirmedAt ?? 0) > beganAt) return;
    if (!found) {
      this.#keys.delete(name);
      this.#unknown.set(name, beganAt + Math.min(UNKNOWN_FOR_MS, this.#maxAgeMs));
      return;
    }
    this.#keys.set(name, knownSince(found, beganAt));
  }
}

function knownSince({ id, userId, secondsLeft, scopes, grants }: LiveKey, beganAt: number): KnownKey {
  const until = (seconds: number | null) =>
    seconds === null ? Number.POSITIVE_INFINITY : beganAt + seconds * 1000;
  const all = [...scopes.map((scope) => [scope, null] as const), ...grants];
  return {
    id,
    userId,
    expiresAt: until(secondsLeft),
    scopes: new Map(all.map(([scope, left]) => [scope, until(left)])),
    confirmedAt: beganAt,
  };
}

/**
 * The cache's name for a key: its hash, so that memory holds no keys. A text much longer than a key costs no hash.
 */
function nameOf(key: string): string {
  return key.length > 100 ? "" : hash("sha256", key, "base64");
}

function isYoung({ confirmedAt, expiresAt }: KnownKey, maxAgeMs: number): boolean {
  const now = performance.now();
  return now < expiresAt && now - confirmedAt < maxAgeMs;
}
