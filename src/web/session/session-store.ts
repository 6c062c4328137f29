import { callbackify } from "node:util";
import connectPgSimple from "connect-pg-simple";
import type { CookieOptions, Request } from "express";
import session, { type SessionData } from "express-session";
import type { Knex } from "knex";
import type pg from "pg";
import {
  extendSession,
  type FoundSession,
  findSession,
  type SessionLimits,
  type SessionRow,
  updateSession,
} from "../../db/sessions.ts";

const PgStore = connectPgSimple(session);

type LoadedSession = Request["session"];

/**
 * connect-pg-simple's store without its upsert: only updates existing rows. The row decides what a session may do and
 * when it ends, and the cookie follows it.
 */
export class SessionStore extends PgStore {
  readonly #db: Knex;
  readonly #limits: SessionLimits;
  readonly #cookie: CookieOptions;
  /** The rows of express-session's session objects. */
  readonly #rows = new WeakMap<object, SessionRow & Partial<FoundSession>>();

  constructor(db: Knex, limits: SessionLimits, cookie: CookieOptions) {
    super({ pool: poolOf(db), tableName: "sessions", pruneSessionInterval: false });
    this.#db = db;
    this.#limits = limits;
    this.#cookie = cookie;
  }

  override get(sid: string, callback: (error: unknown, data?: SessionData | null) => void): void {
    callbackify(() => this.#find(sid))(callback);
  }

  /** Called by express-session at the end of a request with unsaved changes of its session. */
  override set(_sid: string, data: SessionData, callback: (error?: unknown) => void = () => undefined): void {
    callbackify(async () => {
      const row = this.#rows.get(data);
      if (row && row.content !== serializeContent(data))
        await this.keep(data as LoadedSession, { ifUnchanged: true });
    })((error) => callback(error));
  }

  /** Called with every request; `extend` moves a session's end instead. */
  override touch(_sid: string, _data: SessionData, callback: () => void = () => undefined): void {
    callback();
  }

  override createSession(req: Request, data: SessionData) {
    const row = this.#rows.get(data);
    const loaded = super.createSession(req, data);
    if (row) this.#rows.set(loaded, row);
    // The original would move the cookie's end with every request.
    Object.defineProperty(loaded, "touch", { value: () => loaded });
    return loaded;
  }

  /** Makes a stored session the request's own, so that the response sets its cookie. */
  adopt(req: Request, row: SessionRow): void {
    req.sessionID = row.sid;
    this.createSession(req, this.#dataOf(row));
  }

  /** A stored session with its user, as of the look-up. */
  foundOf(loaded: LoadedSession): FoundSession | undefined {
    const row = this.#rows.get(loaded);
    return row && "user" in row ? (row as FoundSession) : undefined;
  }

  /** The session as currently stored; undefined if it has ended. */
  async reload({ id }: LoadedSession): Promise<FoundSession | undefined> {
    return findSession(this.#db, id, this.#limits);
  }

  /**
   * Stores a session's content. With `ifUnchanged`, only if no other request has changed it meanwhile.
   * @returns false if nothing was stored, because of that or because the session has ended
   */
  async keep(loaded: LoadedSession, { ifUnchanged }: { ifUnchanged: boolean }): Promise<boolean> {
    const row = this.#rows.get(loaded);
    if (!row) return false;
    const content = serializeContent(loaded);
    const isStored = await updateSession(this.#db, row, content, ifUnchanged ? row.content : undefined);
    if (isStored) this.#rows.set(loaded, { ...row, content });
    return isStored;
  }

  /** Whether `extend` will move the end. */
  isDue(loaded: LoadedSession): boolean {
    return this.#rows.get(loaded)?.isDue ?? false;
  }

  /** Extends a session in use, if it is due, and its cookie in the response. */
  async extend(loaded: LoadedSession): Promise<void> {
    const row = this.#rows.get(loaded);
    if (!row?.isDue) return;
    const endsAt = await extendSession(this.#db, row.sid, this.#limits);
    this.#rows.set(loaded, { ...row, isDue: false });
    if (endsAt === undefined) return;
    loaded.cookie.expires = endsAt;
    loaded.movedTo = endsAt.toISOString();
  }

  async #find(sid: string): Promise<SessionData | undefined> {
    const row = await findSession(this.#db, sid, this.#limits);
    return row && this.#dataOf(row);
  }

  #dataOf(row: SessionRow): SessionData {
    const cookie = { ...this.#cookie, expires: row.endsAt };
    const data = { ...JSON.parse(row.content), cookie };
    this.#rows.set(data, row);
    return data;
  }
}

/** A session's stored content, as JSON. */
export function serializeContent({ userId, flash, tone, undo, typed }: Partial<SessionData>): string {
  return JSON.stringify({ userId, flash, tone, undo, typed });
}

/** The only pool method that connect-pg-simple uses, over Knex's pool, so that there is one pool to size. */
function poolOf(db: Knex): pg.Pool {
  const query = async (text: string, values: unknown[]) => {
    const connection = await db.client.acquireConnection();
    try {
      return await connection.query(text, values);
    } finally {
      await db.client.releaseConnection(connection);
    }
  };
  return { query } as unknown as pg.Pool;
}
