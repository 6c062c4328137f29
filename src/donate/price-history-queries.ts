import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import type { DiscountVersion, PriceVersion } from "./price-history.ts";

/** An item whose prices are made by a program may have any number of them: so many of what is over are looked at. */
const VERSIONS = 500;

/** What is known of an item's prices, complete from `since` on. */
export interface PriceVersions {
  prices: PriceVersion[];
  discounts: DiscountVersion[];
  since: Date;
}

/**
 * The regular prices and the discounts that an item had since a time; what has not begun is left out. Where there are
 * too many, since a later time: from there on none is missing.
 */
export async function loadPriceVersions(db: Db, itemKey: string, wanted: Date): Promise<PriceVersions> {
  const prices = await loadPrices(db, itemKey, wanted);
  const current = await discountVersions(db, itemKey, wanted).whereRaw(`(${END} is null or ${END} > now())`);
  const over = await discountVersions(db, itemKey, wanted)
    .whereRaw(`${END} <= now()`)
    .orderByRaw(`${END} desc, version.id desc`)
    .limit(VERSIONS);
  const borders = [wanted, borderOf(prices, "valid_from"), borderOf(over, "effective_end")];
  const since = new Date(Math.max(...borders.map(Number)));
  const discounts = [...current, ...over].map(({ effective_end: _end, ...version }) => version);
  return { prices, discounts, since };
}

/** When a version of a discount ceased to make a price; null, if ever. `least` passes over nulls. */
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
      "discount.demo",
      "version.percent",
      "version.price",
    )
    .select("version.starts_at", "version.ends_at", "version.valid_from", "version.valid_to")
    .select(db.raw(`${END} as effective_end`));
}

/** All that is missing of a list that goes back as far as it may was over by then. */
function borderOf<Row extends object, Key extends keyof Row>(rows: Row[], key: Key): Row[Key] | 0 {
  const oldest = rows.at(-1);
  return rows.length < VERSIONS || oldest === undefined ? 0 : oldest[key];
}
