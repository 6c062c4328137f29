import type { Knex } from "knex";
import type { Logger } from "pino";
import { addKeyUses, type KeyUse } from "./queries.ts";

/** More keys than this are written before the minute is over. */
const GATHERED_AT_MOST = 10_000;

/**
 * The uses of keys that are not written yet, so that a read writes nothing. A use is lost if its process is killed, and
 * may count twice if the connection breaks between the write and its confirmation.
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
    const use = this.#uses.get(id);
    this.#uses.set(id, { id, requests: (use?.requests ?? 0) + 1, lastAt: performance.now() });
    if (this.#uses.size >= GATHERED_AT_MOST) void this.write();
  }

  /** Writes all uses in one statement, after one that is under way. Never rejects; what fails is written next time. */
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
      for (const use of written.values()) this.#putBack(use);
    }
  }

  #putBack({ id, requests, lastAt }: KeyUse): void {
    const newer = this.#uses.get(id);
    this.#uses.set(id, {
      id,
      requests: requests + (newer?.requests ?? 0),
      lastAt: newer?.lastAt ?? lastAt,
    });
  }
}
