import type { Knex } from "knex";
import type { Logger } from "pino";
import { addDayCounts, type Keeping } from "./queries.ts";

/** How many names are counted apart until the minute is over: a flood of them takes no more memory. */
const GATHERED_AT_MOST = 20_000;

/** The counted topics, with the limits of what is kept. */
export const KEPT = {
  /** Entries of a kind whose pages were looked at: the topic is `visit:` and the kind, the name the id. */
  visits: { prefix: "visit:", days: 8, mostNames: 100_000 },
  /** Searches without a hit: the name is what was searched for. */
  missed: { prefix: "missed", days: 30, mostNames: 500 },
} as const satisfies Record<string, Keeping>;

/**
 * Counts of today that are not written yet, so that a read writes nothing: neither who it was nor when is kept. A minute
 * is lost if the process is killed.
 */
export class DayCounts {
  readonly #db: Knex;
  readonly #log: Logger;
  #counts = new Map<string, Map<string, number>>();
  #size = 0;
  #writing: Promise<void> | undefined;

  constructor({ db, log }: { db: Knex; log: Logger }) {
    this.#db = db;
    this.#log = log;
  }

  /** Counts one more. */
  note(topic: string, name: string, count = 1): void {
    const ofTopic = this.#counts.get(topic) ?? new Map<string, number>();
    const before = ofTopic.get(name);
    if (before === undefined && this.#size >= GATHERED_AT_MOST) return;
    if (before === undefined) this.#size += 1;
    ofTopic.set(name, (before ?? 0) + count);
    this.#counts.set(topic, ofTopic);
  }

  /** Writes all counts in one statement, after one that is under way. Never rejects; what fails is written next time. */
  async write(): Promise<void> {
    await this.#writing;
    if (this.#size === 0 || this.#writing) return this.#writing;
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined;
    });
    await this.#writing;
  }

  async #write(): Promise<void> {
    const counts = [...this.#counts].flatMap(([topic, names]) =>
      [...names].map(([name, count]) => ({ topic, name, count })),
    );
    this.#counts = new Map();
    this.#size = 0;
    try {
      await addDayCounts(this.#db, counts, Object.values(KEPT));
    } catch (error) {
      this.#log.warn({ err: error }, "what was looked at and searched for could not be counted");
      for (const { topic, name, count } of counts) this.note(topic, name, count);
    }
  }
}
