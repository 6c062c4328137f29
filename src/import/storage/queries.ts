import type { Knex } from "knex";
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
  const { rows } = await transaction.raw(
    `select s.record, s.id, f.record as first, (count(*) filter (where s.valid) over ())::int as rejected
       from ${STAGING} s join (${firsts}) f on f.id = s.id and f.record < s.record
      order by s.record limit ?`,
    [limit],
  );
  if (rows.length === 0) return { rejected: 0, problems: [] };
  await transaction.raw(
    `update ${STAGING} s set valid = false from (${firsts}) f where f.id = s.id and f.record < s.record`,
  );
  const problems = rows.map(({ record, id, first }: { record: number; id: string; first: number }) => ({
    record,
    id,
    field: "id",
    reason: `${JSON.stringify(id)} repeats that of record ${first}`,
  }));
  return { rejected: rows[0].rejected, problems };
}

/** Rejects discounts of items that are not there, and such that would not make their item cheaper. */
export async function rejectBadDiscounts(transaction: Knex.Transaction, limit: number): Promise<Rejection> {
  const { rows } = await transaction.raw(
    `with bad as (
       update ${STAGING} s set valid = false from (${JUDGED_DISCOUNTS}) j
        where j.record = s.record and j.problem is not null
       returning s.record, s.id, j.problem)
     select *, (count(*) over ())::int as rejected from bad order by record limit ?`,
    [limit],
  );
  const problems = rows.map(({ record, id, problem: [field, reason] }: JudgedDiscount) => ({
    record,
    id,
    field,
    reason,
  }));
  return { rejected: rows[0]?.rejected ?? 0, problems };
}

interface JudgedDiscount {
  record: number;
  id: string;
  problem: [string, string];
}

const JUDGED_DISCOUNTS = `
  select s.record, case
    when d.id is null then array['item_key', 'there is no donate item ' || to_json(s.item_key)]
    when d.price is null and s.percent is not null then array['percent', 'the item has no price']
    when s.price >= d.price then array['price', 'must be below the price of the item, ' || d.price]
    when round(d.price * (100 - s.percent) / 100, 2) >= d.price
      then array['percent', 'takes nothing off the price of the item, ' || d.price]
  end as problem
  from ${STAGING} s left join donate_items d on d.id = s.item_key
  where s.valid`;
