import type { Knex } from "knex";
import type { Logger } from "pino";
import { addKeyUses, ERRORS_KEPT, type KeyError, type KeyUse } from "./use-queries.ts";

/** With more keys than this, uses are written before the minute is over. */
const GATHERED_AT_MOST = 10_000;
const PATH_LENGTH = 200;

/**
 * Uses of keys that are not written yet, so that a read writes nothing. A use is lost if its process is killed, and may
 * count twice if the connection breaks between the write and its confirmation.
 */
export class KeyUses {
  readonly #db: Knex;
  readonly #log: Logger;
  #uses = new Map<number, KeyUse>();
  #writing: Promise<void> | undefined;

  constructor(db: Knex, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  /** Counts one request with a key. */
  note(id: number): void {
    this.#add({ id, requests: 1, refused: 0, lastAt: performance.now(), errors: [] });
    if (this.#uses.size >= GATHERED_AT_MOST) void this.write();
  }

  /** Counts a request that a limit refused. */
  noteRefused(id: number): void {
    this.#add({ id, requests: 0, refused: 1, lastAt: performance.now(), errors: [] });
  }

  /** Records the error of a request that was counted. */
  noteError(id: number, error: KeyError): void {
    const at = performance.now();
    const kept = { ...error, path: error.path.slice(0, PATH_LENGTH), at };
    this.#add({ id, requests: 0, refused: 0, lastAt: at, errors: [kept] });
  }

  /**
   * Writes all uses in one statement, after a running one. Never rejects; uses that could not be written are written
   * next time.
   */
  async write(): Promise<void> {
    await this.#writing;
    if (this.#uses.size === 0 || this.#writing) return this.#writing;
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined;
    });
    await this.#writing;
  }

  async #write(): Promise<void> {
    const written = this.#uses;
    this.#uses = new Map();
    try {
      await addKeyUses(this.#db, [...written.values()]);
    } catch (error) {
      this.#log.warn({ err: error }, "the use of API keys could not be written");
      const newer = this.#uses;
      this.#uses = written;
      for (const use of newer.values()) this.#add(use);
    }
  }

  #add(use: KeyUse): void {
    const before = this.#uses.get(use.id);
    if (!before) {
      this.#uses.set(use.id, use);
      return;
    }
    const errors = use.errors.length === 0 ? before.errors : [...before.errors, ...use.errors];
    this.#uses.set(use.id, {
      id: use.id,
      requests: before.requests + use.requests,
      refused: before.refused + use.refused,
      lastAt: Math.max(before.lastAt, use.lastAt),
      errors: errors.slice(-ERRORS_KEPT),
    });
  }
}
