import type { Knex } from "knex";
import type { Logger } from "pino";
import type { Db } from "../../db/connect.ts";
import { selectRows } from "../../db/rows.ts";

/** A count; `ofTopic` decides how its names are kept. */
export interface Count {
  readonly topic: string;
  readonly name: string;
  readonly count: number;
}

/** How long counts of topics with a prefix are kept, and the maximum number of names a day. */
interface Keeping {
  readonly prefix: string;
  readonly days: number;
  readonly mostNames: number;
}

const TODAY = "(now() at time zone 'utc')::date";

/** How many different names are counted within a minute, so that a flood of them takes no more memory. */
const GATHERED_AT_MOST = 20_000;

/** The counted topics, with the limits of what is stored. */
export const KEPT = {
  /** Viewed pages of entries: the topic is `visit:` and the kind, the name is the id. */
  visits: { prefix: "visit:", days: 8, mostNames: 100_000 },
  /** Searches without a hit: the name is the query. */
  missed: { prefix: "missed", days: 30, mostNames: 500 },
} as const satisfies Record<string, Keeping>;

/**
 * Today's counts that are not written yet, so that a read writes nothing. Neither users nor times are stored. A minute
 * is lost if the process is killed.
 */
export class DayCounts {
  readonly #db: Knex;
  readonly #log: Logger;
  #counts = new Map<string, Map<string, number>>();
  #size = 0;
  #writing = Promise.resolve();

  constructor({ db, log }: { db: Knex; log: Logger }) {
    this.#db = db;
    this.#log = log;
  }

  /** Adds to a count. */
  note(topic: string, name: string, count = 1): void {
    const ofTopic = this.#counts.get(topic) ?? new Map<string, number>();
    const before = ofTopic.get(name);
    if (before === undefined && this.#size >= GATHERED_AT_MOST) return;
    if (before === undefined) this.#size += 1;
    ofTopic.set(name, (before ?? 0) + count);
    this.#counts.set(topic, ofTopic);
  }

  /**
   * Writes all counts in one statement, after a running one. Never rejects; counts that could not be written are
   * written next time.
   */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    if (this.#size === 0) return;
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

/**
 * Adds counts to today's and removes old ones, in one statement. Skips a new name if the day has reached the topic's
 * limit; among new ones, the most frequent win.
 */
export async function addDayCounts(
  db: Db,
  counts: readonly Count[],
  keeping: readonly Keeping[],
): Promise<void> {
  await db.raw(
    `with rule as (
       select * from json_to_recordset(:keeping) as rule (prefix text, days integer, "mostNames" integer)
     ), gone as (
       delete from day_counts old using rule
        where starts_with(old.topic, rule.prefix) and old.day <= ${TODAY} - rule.days
     ), given as (
       select given.*, known.name is not null as is_known,
              row_number() over (partition by given.topic, known.name is null order by given.count desc, given.name) as place,
              (select count(*) from day_counts day where day.topic = given.topic and day.day = ${TODAY}) as names
         from json_to_recordset(:counts) as given (topic text, name text, count integer)
         left join day_counts known on known.topic = given.topic and known.name = given.name and known.day = ${TODAY}
     )
     insert into day_counts (topic, name, day, count)
     select topic, name, ${TODAY}, count from given
      where is_known or exists (
        select from rule where starts_with(topic, rule.prefix) and names + place <= rule."mostNames")
      order by topic, name
     on conflict (topic, day, name) do update set count = day_counts.count + excluded.count`,
    { counts: JSON.stringify(counts), keeping: JSON.stringify(keeping) },
  );
}

/** The names with the highest counts of the last days, including today, over all topics with a prefix. */
export async function listTopCounts(
  db: Db,
  { prefix, days, limit }: { prefix: string; days: number; limit: number },
): Promise<Count[]> {
  return selectRows<Count>(
    db,
    `select topic, name, sum(count)::integer as count from day_counts
      where starts_with(topic, :prefix) and day > ${TODAY} - :days::integer
      group by topic, name order by sum(count) desc, topic, name limit :limit`,
    { prefix, days, limit },
  );
}
