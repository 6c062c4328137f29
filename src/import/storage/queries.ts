import type { Knex } from "knex";
import { selectRows } from "../../db/rows.ts";
import type { ImportKind } from "../kinds.ts";
import { STAGING } from "./staging.ts";

/** A rule that only the database can check, broken by a staged record. */
export interface StagedProblem {
  readonly record: number;
  readonly id: string;
  readonly field: string;
  readonly reason: string;
}

/** How many records that were valid until now are not, and the problems of the first of them. */
export interface Rejection {
  readonly rejected: number;
  readonly problems: StagedProblem[];
}

/** Settings for the rest of the transaction: time limits for requests do not fit it, sorting a million ids needs memory. */
export async function prepareSession(transaction: Knex.Transaction): Promise<void> {
  await transaction.raw(`
    set local statement_timeout = 0;
    set local idle_in_transaction_session_timeout = 0;
    set local work_mem = '128MB'`);
}

/** From here to the end of the transaction no other import of the kind compares or writes. */
export async function lockKind(transaction: Knex.Transaction, kind: ImportKind): Promise<void> {
  await transaction.raw("select pg_advisory_xact_lock(hashtext(?))", [`almanac import ${kind}`]);
}

/** Rejects the records whose id an earlier one of the file has, valid or not. At most `limit` problems are told. */
export async function rejectRepeatedIds(transaction: Knex.Transaction, limit: number): Promise<Rejection> {
  const firsts = `select id, min(record) as record from ${STAGING} group by id having count(*) > 1`;
  const rows = await selectRows<{ record: number; id: string; first: number; rejected: number }>(
    transaction,
    `select s.record, s.id, f.record as first, (count(*) filter (where s.valid) over ())::int as rejected
       from ${STAGING} s join (${firsts}) f on f.id = s.id and f.record < s.record
      order by s.record limit ?`,
    [limit],
  );
  if (rows.length === 0) return { rejected: 0, problems: [] };
  await transaction.raw(
    `update ${STAGING} s set valid = false from (${firsts}) f where f.id = s.id and f.record < s.record`,
  );
  const problems = rows.map(({ record, id, first }) => ({
    record,
    id,
    field: "id",
    reason: `${JSON.stringify(id)} repeats that of record ${first}`,
  }));
  return { rejected: rows[0]?.rejected ?? 0, problems };
}
