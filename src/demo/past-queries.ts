import type { Knex } from "knex";
import { LEVEL_NAMES, LEVELS, RECORDS, SUM_COLUMNS } from "../servers/history/levels.ts";
import { ensureLevelPartitions } from "../servers/history/partitions.ts";
import type { DemoRecord } from "./history.ts";

const DAY_MS = 86_400_000;

/** A record with the number of the server it is of. */
export type NumberedRecord = DemoRecord & { server_number: number };

/** SQL: the columns of a record as it comes in JSON. */
export const RECORD_COLUMNS =
  "server_number integer, checked_at timestamptz, status text, online integer, queue integer, max_online integer";

/**
 * Writes invented records of a time that is rolled up already, as the sums that the roll-up would have left of them:
 * of five minutes from `fineFrom` on, of hours and of days throughout. What is there stays.
 */
export async function writeRolledUp(
  transaction: Knex.Transaction,
  records: readonly NumberedRecord[],
  { fineFrom }: { fineFrom: Date },
): Promise<void> {
  await transaction.raw(
    `create temporary table demo_past on commit drop as
     select record.* from json_to_recordset(?::json) as record (${RECORD_COLUMNS})
       join servers on servers.number = record.server_number and servers.demo`,
    [JSON.stringify(records)],
  );
  const days = daysOf(records);
  for (const level of LEVEL_NAMES) {
    const { table, bucketS } = LEVELS[level];
    const from = level === "five_minutes" ? fineFrom : new Date(0);
    await ensureLevelPartitions(
      transaction,
      table,
      days.filter((day) => day >= from),
    );
    await transaction.raw(
      `insert into ${table} (start, server_number, ${SUM_COLUMNS})
       select date_bin(make_interval(secs => ${bucketS}), checked_at, 'epoch'), server_number, ${RECORDS.sums}
         from demo_past where checked_at >= ?
        group by 1, 2 order by 1, 2
       on conflict do nothing`,
      [from.toISOString()],
    );
  }
  await transaction.raw("drop table demo_past");
}

/** The beginnings of the days of UTC that records are of. */
export function daysOf(records: readonly NumberedRecord[]): Date[] {
  const days = new Set(records.map(({ checked_at }) => Math.floor(checked_at.getTime() / DAY_MS)));
  return [...days].map((day) => new Date(day * DAY_MS));
}
