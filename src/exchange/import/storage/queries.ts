import type { Knex } from "knex";
import { selectRow, selectRows } from "../../../db/rows.ts";
import { loweredPrice } from "../../../records/prices/prices.ts";
import type { ImportKind } from "../kinds.ts";
import { STAGING } from "./staging.ts";

/** How many more records are refused by a check in the database, and the errors of the first ones. */
export interface RefusedRecords {
  readonly refused: number;
  readonly errors: {
    readonly record: number;
    readonly id: string;
    readonly field: string;
    readonly reason: string;
  }[];
}

/** Lifts the time limits meant for requests, and gives memory to sort a million ids, until the transaction ends. */
export async function prepareSession(transaction: Knex.Transaction): Promise<void> {
  await transaction.raw(`
    set local statement_timeout = 0;
    set local idle_in_transaction_session_timeout = 0;
    set local work_mem = '128MB'`);
}

/** Until the transaction ends, no other import of the kind compares or writes. */
export async function lockKind(transaction: Knex.Transaction, kind: ImportKind): Promise<void> {
  await transaction.raw("select pg_advisory_xact_lock(hashtext(?))", [`almanac import ${kind}`]);
}

/** Starts an import that tombstones can name, until `endImport` or the end of the transaction. Resolves to its id. */
export async function beginImport(transaction: Knex.Transaction, kind: ImportKind): Promise<number> {
  const { id } = await selectRow<{ id: number }>(
    transaction,
    "insert into imports (kind, at) values (?, clock_timestamp()) returning id",
    [kind],
  );
  await nameImport(transaction, `${id}`);
  return id;
}

/** Ends an import; one that changed nothing leaves no row. */
export async function endImport(
  transaction: Knex.Transaction,
  id: number,
  { isChange }: { isChange: boolean },
): Promise<void> {
  await nameImport(transaction, "");
  if (!isChange) await transaction("imports").where({ id }).delete();
}

/** Triggers read this (migrations/20261123130000_follow_catalogue_changes.ts). */
async function nameImport(transaction: Knex.Transaction, name: string): Promise<void> {
  await transaction.raw("select set_config('almanac.import_id', ?, true)", [name]);
}

/**
 * Refuses records whose id an earlier record of the file has, valid or not. Reports at most `limit` of them, each at the
 * fields that make the id.
 */
export async function refuseRepeatedIds(
  transaction: Knex.Transaction,
  { field, limit }: { field: string; limit: number },
): Promise<RefusedRecords> {
  const firsts = `select id, min(record) as record from ${STAGING} group by id having count(*) > 1`;
  const rows = await selectRows<{ record: number; id: string; first: number; refused: number }>(
    transaction,
    `select s.record, s.id, f.record as first, (count(*) filter (where s.valid) over ())::int as refused
       from ${STAGING} s join (${firsts}) f on f.id = s.id and f.record < s.record
      order by s.record limit ?`,
    [limit],
  );
  if (rows.length === 0) return { refused: 0, errors: [] };
  await transaction.raw(
    `update ${STAGING} s set valid = false from (${firsts}) f where f.id = s.id and f.record < s.record`,
  );
  const errors = rows.map(({ record, id, first }) => {
    return { record, id, field, reason: `${JSON.stringify(id)} repeats that of record ${first}` };
  });
  return { refused: rows[0]?.refused ?? 0, errors };
}

/** A percentage that does not lower the price of its item. */
interface IdlePercent {
  item_price: string;
  currency: string;
  percent: string;
}

const JUDGED_DISCOUNTS = `
  select s.record, case
    when d.id is null then array['item_key', 'there is no donate item ' || to_json(s.item_key)]
    when d.price is null and s.percent is not null then array['percent', 'the item has no price']
    when s.price >= d.price then array['price', 'must be below the item’s price, ' || d.price]
    when idle.percent is not null then array['percent', 'doesn’t lower the item’s price, ' || d.price]
  end as problem
  from ${STAGING} s
    left join donate_items d on d.id = s.item_key
    left join unnest(:prices::numeric[], :currencies::text[], :percents::numeric[]) as idle (price, currency, percent)
      on (idle.price, idle.currency, idle.percent) = (d.price, d.currency, s.percent)
  where s.valid`;

/** Refuses discounts of unknown items, and those that would not lower the price of their item. */
export async function refuseBadDiscounts(
  transaction: Knex.Transaction,
  limit: number,
): Promise<RefusedRecords> {
  const idle = await listIdlePercents(transaction);
  const rows = await selectRows<{ record: number; id: string; problem: [string, string]; refused: number }>(
    transaction,
    `with bad as (
       update ${STAGING} s set valid = false from (${JUDGED_DISCOUNTS}) j
        where j.record = s.record and j.problem is not null
       returning s.record, s.id, j.problem)
     select *, (count(*) over ())::int as refused from bad order by record limit :limit`,
    {
      limit,
      prices: idle.map(({ item_price }) => item_price),
      currencies: idle.map(({ currency }) => currency),
      percents: idle.map(({ percent }) => percent),
    },
  );
  const errors = rows.map(({ record, id, problem: [field, reason] }) => ({ record, id, field, reason }));
  return { refused: rows[0]?.refused ?? 0, errors };
}

/** Percentages that rounding turns into no discount. Only those of less than a whole coin can be, so only they are computed. */
async function listIdlePercents(transaction: Knex.Transaction): Promise<IdlePercent[]> {
  const rows = await selectRows<IdlePercent>(
    transaction,
    `select distinct d.price as item_price, d.currency, s.percent
       from ${STAGING} s join donate_items d on d.id = s.item_key
      where s.valid and d.price * s.percent < 100`,
  );
  return rows.filter(
    ({ item_price, currency, percent }) =>
      loweredPrice({ price: item_price, currency }, { percent, price: null }) === null,
  );
}
