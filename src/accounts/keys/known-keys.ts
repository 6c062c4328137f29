import { hash } from "node:crypto";
import type { Knex } from "knex";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import type { ChangeFeed } from "../../db/change-feed.ts";
import type { CallingKey } from "../../web/session/auth.ts";
import type { Scope } from "../../words/scopes.ts";
import { isGranted, type KeyUse } from "./grant-queries.ts";
import { KeyUses } from "./key-uses.ts";
import { hashKey, isWellFormedKey } from "./keys.ts";
import { findLiveKey, type LiveKey } from "./queries.ts";
import type { KeyError } from "./use-queries.ts";

/** How long a confirmed key works while the database is down. */
const KEPT_WHILE_DOWN_MS = 60_000;
const REMEMBERED_AT_MOST = 10_000;

export interface KnownKeysOptions {
  /** Looks up the keys of requests. */
  readonly db: Knex;
  /** Writes the uses of keys; `db` by default. */
  readonly ownDb?: Knex;
  readonly feed: ChangeFeed;
  readonly log: Logger;
  /** The maximum number of keys in memory, by default 10,000. */
  readonly atMost?: number;
}

/** A key that was active when it was looked up. Times are those of `performance.now()`. */
interface KnownKey {
  readonly id: number;
  readonly userId: number;
  readonly expiresAt: number;
  /** Its permissions in addition to reading, and their end. */
  readonly scopes: ReadonlyMap<Scope, number>;
  /** When the look-up began. */
  readonly readAt: number;
}

interface LookUp {
  readonly beganAt: number;
  readonly found: Promise<LiveKey | undefined>;
}

/**
 * A cache of the active API keys that this process has seen lately, so that a request with a key needs no query. It is
 * valid until the feed reports that any key has changed. Every process refuses a revoked, expired or deleted key within
 * 0.8 s, and the one that calls `forgetUser` does so at once. Changed scopes take effect as fast.
 */
export class KnownKeys {
  readonly #db: Knex;
  readonly #feed: ChangeFeed;
  readonly #uses: KeyUses;
  /** By hash. */
  readonly #keys: LRUCache<string, KnownKey>;
  readonly #lookUps = new Map<string, LookUp>();

  constructor({ db, ownDb = db, feed, log, atMost = REMEMBERED_AT_MOST }: KnownKeysOptions) {
    this.#db = db;
    this.#feed = feed;
    this.#keys = new LRUCache({ max: atMost });
    this.#uses = new KeyUses(ownDb, log);
  }

  /** The owner of a key that is confirmed live; undefined if `find` has to check it. */
  cached(key: string): number | undefined {
    return this.#feed.canAnswer ? this.#confirmed(cacheNameOf(key))?.userId : undefined;
  }

  /**
   * The owner of a live key; undefined for one that is unknown, revoked or expired. A malformed one costs no query.
   * @throws if the database is down and the key was not confirmed within the last minute
   */
  async find(key: string): Promise<number | undefined> {
    return (await this.#find(key))?.userId;
  }

  /** The same key with its current scopes. */
  async findCalling(key: string): Promise<CallingKey | undefined> {
    const known = await this.#find(key);
    if (!known) return undefined;
    const now = performance.now();
    const live = [...known.scopes].filter(([, endsAt]) => now < endsAt);
    return { id: known.id, userId: known.userId, scopes: new Set(live.map(([scope]) => scope)) };
  }

  /** True if the database grants a key a scope (see `isGranted`). */
  isAllowed(transaction: Knex, use: KeyUse): Promise<boolean> {
    return isGranted(transaction, use);
  }

  /** Counts a request with a key that `cached` or `find` has confirmed; call it once for each request. */
  noteUse(key: string): void {
    const known = this.#keys.get(cacheNameOf(key));
    if (known) this.#uses.note(known.id);
  }

  /** Counts a request with such a key that a limit refused. */
  noteRefused(key: string): void {
    const known = this.#keys.get(cacheNameOf(key));
    if (known) this.#uses.noteRefused(known.id);
  }

  /** Records the error of a request with such a key for its owner. */
  noteError(key: string, error: KeyError): void {
    const known = this.#keys.get(cacheNameOf(key));
    if (known) this.#uses.noteError(known.id, error);
  }

  /** Writes the collected uses. Never rejects; call it repeatedly, and at the end. */
  writeUses(): Promise<void> {
    return this.#uses.write();
  }

  /**
   * Invalidates a user's keys, so that the next request queries the database; call it after revoking some of them.
   */
  forgetUser(userId: number): void {
    for (const [name, known] of this.#keys) if (known.userId === userId) this.#keys.delete(name);
    // They may have begun before the change.
    this.#lookUps.clear();
  }

  async #find(key: string): Promise<KnownKey | undefined> {
    if (!isWellFormedKey(key)) return undefined;
    const name = cacheNameOf(key);
    if (!this.#feed.canAnswer) await this.#feed.confirm();
    return this.#confirmed(name) ?? this.#settle(name, this.#lookUp(name, key));
  }

  /** A key that works as of the latest feed; while the database is down, one that did within the last minute. */
  #confirmed(name: string): KnownKey | undefined {
    const { confirmedAt, isSilent, keysChangedAt } = this.#feed;
    const known = this.#keys.get(name);
    const isCurrent = known !== undefined && known.readAt >= keysChangedAt;
    if (!known || !(isCurrent || isSilent)) return undefined;
    const now = performance.now();
    const latest = isCurrent ? Math.max(known.readAt, confirmedAt) : known.readAt;
    return now < known.expiresAt && now - latest < KEPT_WHILE_DOWN_MS ? known : undefined;
  }

  /** Queries the database, once for concurrent requests. */
  #lookUp(name: string, key: string): LookUp {
    const open = this.#lookUps.get(name);
    if (open && open.beganAt >= this.#feed.keysChangedAt) return open;
    const lookUp = { beganAt: performance.now(), found: findLiveKey(this.#db, hashKey(key)) };
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
    if ((this.#keys.get(name)?.readAt ?? 0) > beganAt) return;
    if (found) this.#keys.set(name, knownSince(found, beganAt));
    else this.#keys.delete(name);
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
    readAt: beganAt,
  };
}

/**
 * The cache's name for a key: its hash, so that memory contains no keys. A text much longer than a key is not hashed.
 */
function cacheNameOf(key: string): string {
  return key.length > 100 ? "" : hash("sha256", key, "base64");
}
