import type { Db } from "../../db/connect.ts";
import { selectRows } from "../../db/rows.ts";

/** A count; `ofTopic` decides how its names are kept. */
export interface Count {
  readonly topic: string;
  readonly name: string;
  readonly count: number;
}

/** How long counts whose topic begins with a text are kept, and how many names a day has at most. */
export interface Keeping {
  readonly prefix: string;
  readonly days: number;
  readonly mostNames: number;
}

const TODAY = "(now() at time zone 'utc')::date";

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

/** The names with the highest counts of the last days, today included, of all topics that begin with a text. */
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
