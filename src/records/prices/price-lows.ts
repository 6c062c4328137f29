import type { Knex } from "knex";
import type { Db } from "../../db/connect.ts";
import { selectRows } from "../../db/rows.ts";
import { comparePrices, discountedPrice } from "./prices.ts";
import { RUNNING, type ShopItem } from "./queries.ts";

/** A low: a decimal text in the item's currency, and when the price was last lowered to it. */
export interface PriceLow {
  price: string;
  since: Date;
}

/** The low of all time, or that of the last 90 days. */
export type LowName = "ever" | "lately";

/** The lowest prices of an item that had more than one. */
export interface PriceLows {
  /** The low of all recorded time. */
  ever: PriceLow;
  /** The low of the last 90 days; undefined if the price did not change in them. */
  lately?: PriceLow;
}

/** An item's lows as a page shows them beside its price. */
interface ShownLows {
  /** The low that the price is at now. */
  at?: LowName;
  /** The low of all time, unless the price is at it. */
  ever?: PriceLow;
  /** The low of the last 90 days, unless the price is at it or it is the low of all time. */
  lately?: PriceLow;
}

/** The start of the last 90 days. */
const LATELY = "now() - interval '90 days'";
const LATE_TIMES = `tstzmultirange(tstzrange(${LATELY}, now()))`;

/** When a regular price and a version of a discount counted together. */
const FROM = "greatest(regular.counts_from, version.starts_at, version.valid_from)";
const TO = "least(regular.counts_to, version.ends_at, version.valid_to, now())";
/** Before rounding, which is enough to order by. */
const LOWERED = "coalesce(version.price, regular.price * (1 - version.percent / 100))";

/** A low needs this much recorded time, because one of three minutes is no "lowest price ever". */
const RECORD = "interval '30 days'";

/** Chooses the same one of several discounts with the same price at the same time. */
const LATEST = "order by lower(time) desc, percent, fixed";

/**
 * Every price that was paid, as in `priceSteps`: the first regular price also counts for discounts before it, and
 * prices before a change of currency do not count. Lows are found here, not among loaded versions, because those are
 * limited in number, and a low may be older than all that are left.
 */
const PAID = `
  with version_of as (
    select item_key, price, currency, valid_from,
           case when row_number() over versions = 1 then '-infinity' else valid_from end as counts_from,
           coalesce(lead(valid_from) over versions, 'infinity') as counts_to,
           last_value(currency) over (versions rows between unbounded preceding and unbounded following) as now_in
      from price_versions
     where item_key in ? and (valid_to is null or valid_from < valid_to)
    window versions as (partition by item_key order by valid_from, id)
  ), changed as (
    select item_key, max(counts_to) as at from version_of where currency <> now_in group by item_key
  ), regular as (
    select version_of.* from version_of left join changed using (item_key)
     where changed.at is null or valid_from >= changed.at
  ), paid as (
    select item_key, price as cost, price as regular, null::numeric as percent, null::numeric as fixed,
           tstzrange(valid_from, least(counts_to, now())) as time
      from regular
     where price is not null and valid_from < least(counts_to, now())
    union all
    select item_key, ${LOWERED}, regular.price, version.percent, version.price, tstzrange(${FROM}, ${TO})
      from regular join discount_versions as version using (item_key)
     where ${FROM} < ${TO} and ${LOWERED} < coalesce(regular.price, 'infinity')
  ), recorded as (
    select item_key, min(valid_from) as since from regular group by item_key
  )`;

const LOWS = `${PAID}, low as (
    select item_key, min(cost) as ever, min(cost) filter (where upper(time) > ${LATELY}) as lately,
           range_agg(time) as times
      from paid group by item_key
  )
  select item_key, cost, cost = ever as "isEver", cost is not distinct from lately as "isLately",
         max(lower(time)) as since,
         times <> range_agg(time) and recorded.since <= now() - ${RECORD} as "hasOthers",
         times * ${LATE_TIMES} <> range_agg(time) * ${LATE_TIMES} as "hasOthersLately",
         (array_agg(regular ${LATEST}))[1] as regular,
         (array_agg(percent ${LATEST}))[1] as percent,
         (array_agg(fixed ${LATEST}))[1] as fixed,
         (select currency from donate_items where id = item_key) as currency
    from paid join low using (item_key) join recorded using (item_key)
   where cost in (ever, lately)
   group by item_key, cost, ever, lately, times, recorded.since`;

/**
 * The lowest price of the 30 days before an item got its current price; unknown if prices were not recorded that long.
 */
const PRIOR = `${PAID}, cost_now as (
    select item_key, min(cost) as cost from paid where upper(time) >= now() group by item_key
  ), held as (
    select item_key, cost_now.cost, range_agg(time) as times
      from paid join cost_now using (item_key) where paid.cost = cost_now.cost group by item_key, cost_now.cost
  ), began as (
    select item_key,
           greatest((select max(lower(span)) from unnest(times) as span),
                    (select max(upper(time)) from paid where paid.item_key = held.item_key and paid.cost < held.cost)) as at
      from held
  ), before as (
    select paid.*, row_number() over (partition by item_key order by cost, lower(time) desc, percent, fixed) as place
      from paid join began using (item_key) join recorded using (item_key)
     where time && tstzrange(at - ${RECORD}, at) and recorded.since <= at - ${RECORD}
  )
  select item_key, cost, regular, percent, fixed, item.currency
    from before join donate_items as item on item.id = item_key where place = 1`;

/** A paid price, with its cause. */
interface PaidRow {
  item_key: string;
  cost: string;
  regular: string | null;
  percent: string | null;
  fixed: string | null;
  currency: string;
}

interface LowRow extends PaidRow {
  isEver: boolean;
  isLately: boolean;
  since: Date;
  /** Whether a buyer ever paid another price, and whether one did in the last 90 days. */
  hasOthers: boolean;
  hasOthersLately: boolean;
}

/**
 * The lowest prices of items, by key, in their current currency, in one statement with the database's time. Leaves out
 * items that never had a second price, or whose prices are recorded for less than 30 days.
 * @param keys the items' keys, or a query for them
 */
export async function loadPriceLows(
  db: Db,
  keys: string[] | Knex.QueryBuilder,
): Promise<Map<string, PriceLows>> {
  const wanted = Array.isArray(keys) ? db("donate_items").select("id").whereRaw("id = any(?)", [keys]) : keys;
  const rows = await selectRows<LowRow>(db, LOWS, [wanted]);
  const lately = new Map(rows.filter(({ isLately }) => isLately).map((row) => [row.item_key, row]));
  return new Map(
    rows
      .filter(({ isEver, hasOthers }) => isEver && hasOthers)
      .map((row) => {
        const recent = lately.get(row.item_key);
        const ofLately = recent?.hasOthersLately ? { lately: lowOf(recent) } : {};
        return [row.item_key, { ever: lowOf(row), ...ofLately }];
      }),
  );
}

/**
 * The lowest price in the last 30 days of items on sale, by key. Shops in the EU have to show this prior price beside
 * a reduction (Directive 98/6/EC, Article 6a). Leaves out items whose prices were not recorded that long.
 * @param keys the items' keys, or a query for them
 */
export async function loadPriorPrices(
  db: Db,
  keys: string[] | Knex.QueryBuilder,
): Promise<Map<string, string>> {
  const onSale = db("discounts as discount").select("item_key").whereRaw(RUNNING);
  if (Array.isArray(keys)) onSale.whereRaw("item_key = any(?)", [keys]);
  // A query with a limit needs this form.
  else onSale.whereIn("item_key", db.select("id").from(keys.as("wanted")));
  const rows = await selectRows<PaidRow>(db, PRIOR, [onSale]);
  return new Map(rows.map((row) => [row.item_key, paidPrice(row)]));
}

/** Rounds the price as it was shown; without a discount the cost is the price. */
function paidPrice({ cost, regular, percent, fixed, currency }: PaidRow): string {
  return discountedPrice({ price: regular, currency }, { percent, price: fixed }) ?? cost;
}

function lowOf(row: LowRow): PriceLow {
  return { price: paidPrice(row), since: row.since };
}

/** Compares an item's price with each low. Undefined without a price to compare. */
export function showLows(
  { price, sale }: Pick<ShopItem, "price" | "sale">,
  lows: PriceLows | undefined,
): ShownLows | undefined {
  if (!lows) return undefined;
  const { ever, lately } = lows;
  const cost = sale?.newPrice ?? price;
  const at = lowAt(cost, lows);
  if (at === "ever") return { at };
  if (lately === undefined || comparePrices(lately.price, ever.price) === 0) return { ever };
  return at === "lately" ? { at, ever } : { ever, lately };
}

/** The low that a price is at; null if none, or if no price is known. */
export function lowAt(cost: string | null, lows: PriceLows | undefined): LowName | null {
  const isAt = (low: PriceLow | undefined) =>
    cost !== null && low !== undefined && comparePrices(cost, low.price) <= 0;
  if (isAt(lows?.ever)) return "ever";
  return isAt(lows?.lately) ? "lately" : null;
}
