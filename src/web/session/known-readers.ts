import { LRUCache } from "lru-cache";
import type { Db } from "../../db/connect.ts";
import { withTimeout } from "../../db/running-time.ts";
import type { FoundSession, SessionUser } from "../../db/sessions.ts";
import type { PageUser } from "../answers/personal-parts.ts";

/** How long a looked-up session and its user are trusted. */
const MAX_AGE_MS = 500;
/** How long they are trusted while the database is down. */
const KEPT_WHILE_DOWN_MS = 60_000;
/** A database that takes longer counts as down. */
const PATIENCE_MS = 600;
const REMEMBERED_AT_MOST = 10_000;
/** Before any time of `performance.now()`. */
const NEVER = Number.NEGATIVE_INFINITY;

/** A logged-in user as of the last look-up. */
export interface KnownReader extends PageUser {
  readonly user: SessionUser;
  /** Their next page shows a message or extends the session, so the app has to build it. */
  readonly isDue: boolean;
  /** True if the look-up covers all of these records. */
  knows(marks: readonly string[]): boolean;
}

/**
 * Looks up which of these records are a user's favorites. The keys are marks such as `server:ls-one`; the values are the
 * prices of their price alerts, blank without one.
 */
export type FindFavorites = (
  db: Db,
  userId: number,
  marks: readonly string[],
) => Promise<ReadonlyMap<string, string>>;

export interface KnownReadersOptions {
  readonly db: Db;
  readonly findSession: (sid: string) => Promise<FoundSession | undefined>;
  readonly findFavorites: FindFavorites;
  /** Milliseconds that a looked-up session is trusted; 0 looks it up for each request. */
  readonly maxAgeMs?: number | undefined;
}

interface LookedUp {
  readonly sid: string;
  readonly reader: KnownReader;
  /** When the look-up began, by `performance.now()`. */
  readonly at: number;
  /** Whether a write that began since then may have changed the user. */
  readonly isStale?: boolean;
}

interface LookUp {
  readonly marks: readonly string[];
  readonly found: Promise<LookedUp | undefined>;
}

/**
 * The users whose sessions this process has seen lately, by the cookie that the app has accepted for them. Every
 * process detects an ended session or a changed user within half a second, and the process that handled the user's own
 * write does so at once.
 */
export class KnownReaders {
  readonly #options: KnownReadersOptions;
  readonly #maxAgeMs: number;
  /** The key is the cookie's value. */
  readonly #known = new LRUCache<string, LookedUp>({ max: REMEMBERED_AT_MOST });
  readonly #lookUps = new Map<string, LookUp>();

  constructor(options: KnownReadersOptions) {
    this.#options = options;
    this.#maxAgeMs = options.maxAgeMs ?? MAX_AGE_MS;
  }

  /** See `FindFavorites`. */
  get findFavorites(): FindFavorites {
    return this.#options.findFavorites;
  }

  /** Stores the session that the app has just looked up for a cookie. */
  add(cookie: string, session: FoundSession): void {
    if (this.#known.has(cookie)) return;
    const reader = readerOf(session, [], new Map());
    this.#known.set(cookie, { sid: session.sid, reader, at: NEVER });
  }

  /** The user of a cookie as of the last look-up, no matter how old. */
  lastKnown(cookie: string): SessionUser | undefined {
    return this.#known.get(cookie)?.reader.user;
  }

  /** The cached user, if a recent look-up covers them and these records. */
  cached(cookie: string, marks: readonly string[], isDown = false): KnownReader | undefined {
    const known = this.#known.get(cookie);
    if (!known || (known.isStale && !isDown)) return undefined;
    const maxAgeMs = isDown ? KEPT_WHILE_DOWN_MS : this.#maxAgeMs;
    if (performance.now() - known.at >= maxAgeMs) return undefined;
    return known.reader.knows(marks) ? known.reader : undefined;
  }

  /**
   * The current user; undefined if the session has ended. The cookie must have been added.
   * @throws if the database is down and there was no look-up within the last minute
   */
  async find(cookie: string, marks: readonly string[]): Promise<KnownReader | undefined> {
    try {
      return await withTimeout(PATIENCE_MS, this.#lookUp(cookie, marks));
    } catch (error) {
      const kept = this.cached(cookie, marks, true);
      if (kept) return kept;
      throw error;
    }
  }

  /**
   * Marks a user as stale, so that the next request looks them up, unless the database is down. Call it before their
   * write.
   */
  markStale(cookie: string): void {
    this.#replace(cookie, { isStale: true });
  }

  /** Makes the next request look the user up; call it after a write of theirs. */
  invalidate(cookie: string): void {
    this.#replace(cookie, { at: NEVER });
  }

  #replace(cookie: string, change: Partial<LookedUp>): void {
    this.#lookUps.delete(cookie);
    const known = this.#known.get(cookie);
    if (known) this.#known.set(cookie, { ...known, ...change });
  }

  /** Queries the database, once for concurrent requests. */
  async #lookUp(cookie: string, marks: readonly string[]): Promise<KnownReader | undefined> {
    const open = this.#lookUps.get(cookie);
    if (open && this.#maxAgeMs > 0 && marks.every((mark) => open.marks.includes(mark))) {
      return (await open.found)?.reader;
    }
    const lookUp = { marks, found: this.#query(cookie, marks) };
    this.#lookUps.set(cookie, lookUp);
    // An invalidated look-up may have read the state before a write.
    const isLatest = () => this.#lookUps.get(cookie) === lookUp;
    try {
      const found = await lookUp.found;
      if (isLatest() && found) this.#known.set(cookie, found);
      if (!found) this.#known.delete(cookie);
      return found?.reader;
    } finally {
      if (isLatest()) this.#lookUps.delete(cookie);
    }
  }

  async #query(cookie: string, marks: readonly string[]): Promise<LookedUp | undefined> {
    const known = this.#known.get(cookie);
    if (!known) return undefined;
    const at = performance.now();
    const [session, favorites] = await Promise.all([
      this.#options.findSession(known.sid),
      this.findFavorites(this.#options.db, known.reader.user.id, marks),
    ]);
    return session && { sid: known.sid, reader: readerOf(session, marks, favorites), at };
  }
}

function readerOf(
  { user, content, isDue }: FoundSession,
  marks: readonly string[],
  favorites: ReadonlyMap<string, string>,
): KnownReader {
  const known = new Set(marks);
  return {
    user,
    name: user.name,
    unread: user.unread,
    isFavorite: (mark) => favorites.has(mark),
    wishOf: (mark) => favorites.get(mark) ?? "",
    isDue: isDue || "flash" in JSON.parse(content),
    knows: (asked) => asked.every((mark) => known.has(mark)),
  };
}
