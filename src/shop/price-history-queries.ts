import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import { selectRows } from "../db/rows.ts";
import { type DiscountVersion, type PriceStep, type PriceVersion, priceSteps } from "./price-history.ts";

/**
 * The maximum number of past versions that are read, because a program may change an item's price any number of times.
 */
const VERSIONS = 500;

const LATELY = "now() - interval '90 days'";
const LATELY_MS = 90 * 24 * 3_600_000;

/**
 * The regular prices and discounts that an item had since a time, without those that have not begun. If there are too
 * many, `since` is later than requested; from then on they are complete.
 */
export async function loadPriceVersions(db: Db, itemKey: string, wanted: Date) {
  const [prices, current, over] = await Promise.all([
    loadPrices(db, itemKey, wanted),
    discountVersions(db, itemKey, wanted).whereRaw(`(${END} is null or ${END} > now())`),
    discountVersions(db, itemKey, wanted)
      .whereRaw(`${END} <= now()`)
      .orderByRaw(`${END} desc, version.id desc`)
      .limit(VERSIONS),
  ]);
  const borders = [wanted, borderOf(prices, "valid_from"), borderOf(over, "effective_end")];
  const since = new Date(Math.max(...borders.map(Number)));
  const discounts = [...current, ...over].map(({ effective_end: _end, ...version }) => version);
  return { prices, discounts, since };
}

/** How many versions of an item a small line draws; with more, it begins later. */
const LATE_VERSIONS = 60;

/**
 * The prices of items in the last 90 days, by key, as steps up to now: for small lines, in one round trip.
 * @param keys a query for the items' keys
 */
export async function loadLateSteps(db: Db, keys: Knex.QueryBuilder): Promise<Map<string, PriceStep[]>> {
  const [prices, discounts] = await Promise.all([
    // JavaScript dates lose microseconds. One more millisecond puts the start of a new discount before `until`.
    selectRows<PriceVersion & { item_key: string; until: Date }>(
      db,
      `select item_key, price, currency, valid_from, valid_to, now() + interval '1 millisecond' as until
         from (select *, row_number() over (partition by item_key order by valid_from desc, id desc) as place
                 from price_versions
                where item_key in ? and (valid_to is null or valid_to > ${LATELY})) version
        where place <= ${LATE_VERSIONS}`,
      [keys],
    ),
    selectRows<DiscountVersion & { item_key: string }>(
      db,
      `select item_key, discount_id as id, null as title, null as titles, null as demo, percent, price, starts_at, ends_at,
              valid_from, valid_to
         from (select *, row_number() over (partition by item_key order by starts_at desc, id desc) as place
                 from discount_versions as version
                where item_key in ? and starts_at <= now() and (ends_at is null or ends_at > ${LATELY})
                  and (valid_to is null or valid_to > greatest(${LATELY}, starts_at))) version
        where place <= ${LATE_VERSIONS}`,
      [keys],
    ),
  ]);
  // The database's time, which the rest of the page uses for prices.
  const until = prices[0]?.until;
  if (until === undefined) return new Map();
  const ofItem = Map.groupBy(discounts, ({ item_key }) => item_key);
  return new Map(
    [...Map.groupBy(prices, ({ item_key }) => item_key)].map(([key, own]) => {
      const sales = ofItem.get(key) ?? [];
      const cut = [own, sales].flatMap((rows) =>
        rows.length < LATE_VERSIONS ? [] : rows.map(({ valid_from }) => Number(valid_from)).slice(-1),
      );
      const since = new Date(Math.max(until.getTime() - LATELY_MS, ...cut));
      return [key, priceSteps(own, sales, { since, until })];
    }),
  );
}

/** When a version of a discount stopped deciding a price; null if it still does. `least` ignores nulls. */
const END = "least(version.ends_at, version.valid_to)";

async function loadPrices(db: Db, itemKey: string, wanted: Date): Promise<PriceVersion[]> {
  return db("price_versions")
    .where({ item_key: itemKey })
    .whereRaw("(valid_to is null or valid_to > ?)", [wanted])
    .orderBy([
      { column: "valid_from", order: "desc" },
      { column: "id", order: "desc" },
    ])
    .limit(VERSIONS)
    .select("price", "currency", "valid_from", "valid_to");
}

function discountVersions(
  db: Db,
  itemKey: string,
  wanted: Date,
): Knex.QueryBuilder<object, (DiscountVersion & { effective_end: Date | null })[]> {
  return db("discount_versions as version")
    .leftJoin("discounts as discount", "discount.id", "version.discount_id")
    .where("version.item_key", itemKey)
    .whereRaw("version.starts_at < now() and (version.ends_at is null or version.ends_at > ?)", [wanted])
    .whereRaw("(version.valid_to is null or version.valid_to > greatest(?, version.starts_at))", [wanted])
    .select(
      "version.discount_id as id",
      "discount.title",
      "discount.titles",
      "discount.demo",
      "version.percent",
      "version.price",
    )
    .select("version.starts_at", "version.ends_at", "version.valid_from", "version.valid_to")
    .select(db.raw(`${END} as effective_end`));
}

/** The time since which a truncated list is complete. */
function borderOf<Row extends object, Key extends keyof Row>(rows: Row[], key: Key): Row[Key] | 0 {
  const oldest = rows.at(-1);
  return rows.length < VERSIONS || oldest === undefined ? 0 : oldest[key];
}
