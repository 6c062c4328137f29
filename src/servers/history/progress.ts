import type { Db } from "../../db/connect.ts";
import { LEVEL_NAMES, LEVELS, RAW_HOURS } from "./levels.ts";

/**
 * Has everything from a time on rolled up again, because records of that time were written or changed. To be called
 * in the transaction that writes them, as its last step: it keeps the roll-up waiting until the transaction ends.
 * Times that the raw records need not reach are left alone: what was rolled up of them is all that is known.
 */
export async function rewindHistory(db: Db, from: Date): Promise<void> {
  // Even where there is nothing to rewind yet: the roll-up that is under way does not see these records.
  await db.raw("select 1 from history_progress order by level for update");
  await db.raw(
    `update history_progress as progress set done_until = rewound.start
       from (select level, date_bin(make_interval(secs => bucket_s), written.since, 'epoch') as start
               from unnest(?::text[], ?::integer[]) as levels (level, bucket_s)
              cross join (select greatest(?::timestamptz, now() - make_interval(hours => ?)) as since) as written
            ) as rewound
      where progress.level = rewound.level and progress.done_until > rewound.start`,
    [[...LEVEL_NAMES], LEVEL_NAMES.map((level) => LEVELS[level].bucketS), from.toISOString(), RAW_HOURS],
  );
}
