import { callbackify } from "node:util";
import connectPgSimple from "connect-pg-simple";
import type { CookieOptions, Request } from "express";
import session, { type SessionData } from "express-session";
import type { Knex } from "knex";
import type pg from "pg";
import {
  extendSession,
  findSession,
  type SessionLimits,
  type SessionRow,
  updateSession,
} from "../db/sessions.ts";

const PgStore = connectPgSimple(session);

type LoadedSession = Request["session"];

/**
 * connect-pg-simple's store, without its upsert: a row is updated, and only while it is there. What a session may do,
 * and until when, is the row's to say; the cookie is told the same.
 */
export class SessionStore extends PgStore {
  readonly #db: Knex;
  readonly #limits: SessionLimits;
  readonly #cookie: CookieOptions;
  /** The rows of sessions, by what express-session makes of them. */
  readonly #rows = new WeakMap<object, SessionRow>();

  constructor(db: Knex, limits: SessionLimits, cookie: CookieOptions) {
    super({ pool: poolOf(db), tableName: "sessions", pruneSessionInterval: false });
    this.#db = db;
    this.#limits = limits;
    this.#cookie = cookie;
  }

  override get(sid: string, callback: (error: unknown, data?: SessionData | null) => void): void {
    callbackify(() => this.#find(sid))(callback);
  }

  /** What express-session calls at the end of a request that has changed its session and not kept that itself. */
  override set(_sid: string, data: SessionData, callback: (error?: unknown) => void = () => undefined): void {
    callbackify(async () => {
      const row = this.#rows.get(data);
      if (row && row.content !== contentOf(data))
        await this.keep(data as LoadedSession, { ifUnchanged: true });
    })((error) => callback(error));
  }

  /** Called with every request; see `extend` for what moves a session's end. */
  override touch(_sid: string, _data: SessionData, callback: () => void = () => undefined): void {
    callback();
  }

  override createSession(req: Request, data: SessionData) {
    const row = this.#rows.get(data);
    const loaded = super.createSession(req, data);
    if (row) this.#rows.set(loaded, row);
    // It would move the end of the cookie with every request.
    Object.defineProperty(loaded, "touch", { value: () => loaded });
    return loaded;
  }

  /** Makes a stored session the one of a request, whose answer then sets its cookie. */
  adopt(req: Request, row: SessionRow): void {
    req.sessionID = row.sid;
    this.createSession(req, this.#dataOf(row));
  }

  /** The session as it is stored by now; undefined once it has ended. */
  async reload({ id }: LoadedSession): Promise<SessionRow | undefined> {
    return findSession(this.#db, id, this.#limits);
  }

  /**
   * Stores what a session holds. `ifUnchanged`: unless another request has stored something else in the meantime.
   * @returns false where nothing was stored, because of that or because the session has ended
   */
  async keep(loaded: LoadedSession, { ifUnchanged }: { ifUnchanged: boolean }): Promise<boolean> {
    const row = this.#rows.get(loaded);
    if (!row) return false;
    const content = contentOf(loaded);
    const isStored = await updateSession(this.#db, row, content, ifUnchanged ? row.content : undefined);
    if (isStored) this.#rows.set(loaded, { ...row, content });
    return isStored;
  }

  /** Moves the end of a session that is used, where it is time to, and has the answer tell the browser. */
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

/** What is stored of a session. */
export function contentOf({ userId, flash, tone, undo }: Partial<SessionData>): string {
  return JSON.stringify({ userId, flash, tone, undo });
}

/** The one method that connect-pg-simple uses of a pool, over Knex's own pool: one set of connections to size. */
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
