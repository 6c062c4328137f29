import type { Knex } from "knex";
import { selectRows } from "../../db/rows.ts";
import { loweredPrice } from "../../prices/prices.ts";
import type { Rejection } from "./queries.ts";
import { STAGING } from "./staging.ts";

interface JudgedDiscount {
  record: number;
  id: string;
  problem: [string, string];
}

interface ItemPercent {
  item_price: string;
  currency: string;
  percent: string;
}

const JUDGED_DISCOUNTS = `
  select s.record, case
    when d.id is null then array['item_key', 'there is no donate item ' || to_json(s.item_key)]
    when d.price is null and s.percent is not null then array['percent', 'the item has no price']
    when s.price >= d.price then array['price', 'must be below the price of the item, ' || d.price]
    when idle.percent is not null then array['percent', 'takes nothing off the price of the item, ' || d.price]
  end as problem
  from ${STAGING} s
    left join donate_items d on d.id = s.item_key
    left join unnest(:prices::numeric[], :currencies::text[], :percents::numeric[]) as idle (price, currency, percent)
      on (idle.price, idle.currency, idle.percent) = (d.price, d.currency, s.percent)
  where s.valid`;

/** Rejects discounts of items that are not there, and such that would not make their item cheaper. */
export async function rejectBadDiscounts(transaction: Knex.Transaction, limit: number): Promise<Rejection> {
  const idle = await listIdlePercents(transaction);
  const rows = await selectRows<JudgedDiscount & { rejected: number }>(
    transaction,
    `with bad as (
       update ${STAGING} s set valid = false from (${JUDGED_DISCOUNTS}) j
        where j.record = s.record and j.problem is not null
       returning s.record, s.id, j.problem)
     select *, (count(*) over ())::int as rejected from bad order by record limit :limit`,
    {
      limit,
      prices: idle.map(({ item_price }) => item_price),
      currencies: idle.map(({ currency }) => currency),
      percents: idle.map(({ percent }) => percent),
    },
  );
  const problems = rows.map(({ record, id, problem: [field, reason] }) => ({
    record,
    id,
    field,
    reason,
  }));
  return { rejected: rows[0]?.rejected ?? 0, problems };
}

/**
 * Percents that rounding makes nothing of. Only those that take less than a whole coin can be such ones, and they are
 * looked at where every other price is computed.
 */
async function listIdlePercents(transaction: Knex.Transaction): Promise<ItemPercent[]> {
  const rows = await selectRows<ItemPercent>(
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
