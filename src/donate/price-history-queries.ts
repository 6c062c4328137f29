import type { Db } from "../db/connect.ts";
import type { DiscountVersion, PriceVersion } from "./price-history.ts";

/** An item whose discounts are made by a program may have any number of them: the newest of each are enough. */
const VERSIONS = 500;

/** The regular prices and the discounts that an item had since a time; what has not begun is left out. */
export async function loadPriceVersions(
  db: Db,
  itemKey: string,
  since: Date,
): Promise<{ prices: PriceVersion[]; discounts: DiscountVersion[] }> {
  const prices: PriceVersion[] = await db("price_versions")
    .where({ item_key: itemKey })
    .whereRaw("(valid_to is null or valid_to > ?)", [since])
    .orderBy([
      { column: "valid_from", order: "desc" },
      { column: "id", order: "desc" },
    ])
    .limit(VERSIONS)
    .select("price", "currency", "valid_from", "valid_to");
  const discounts: DiscountVersion[] = await db("discount_versions as version")
    .leftJoin("discounts as discount", "discount.id", "version.discount_id")
    .where("version.item_key", itemKey)
    .whereRaw("version.starts_at < now() and (version.ends_at is null or version.ends_at > ?)", [since])
    .whereRaw("(version.valid_to is null or version.valid_to > greatest(?, version.starts_at))", [since])
    .orderBy([
      { column: "version.starts_at", order: "desc" },
      { column: "version.id", order: "desc" },
    ])
    .limit(VERSIONS)
    .select("version.discount_id as id", "discount.title", "version.percent", "version.price")
    .select("version.starts_at", "version.ends_at", "version.valid_from", "version.valid_to");
  return { prices, discounts };
}
