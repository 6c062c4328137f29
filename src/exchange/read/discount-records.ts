import { z } from "zod";
import type { Db } from "../../db/connect.ts";
import { discountedPrice } from "../../records/prices/prices.ts";
import { DISCOUNT_COLUMNS, type Discount, PHASE } from "../../records/prices/queries.ts";
import type { Language } from "../../words/i18n/languages.ts";
import { localName } from "../../words/i18n/local-name.ts";
import { absoluteUrl, paths } from "../../words/urls.ts";
import { type RecordKind, time } from "./record.ts";
import { discountList, PUBLIC_DISCOUNT } from "./shop-list.ts";

interface DiscountRow extends Discount {
  item_price: string | null;
  currency: string;
  created_at: Date;
}

function discountSchema() {
  return z
    .object({
      kind: z.literal("discount"),
      id: z.string(),
      item_key: z.string(),
      title: z.string().nullable(),
      titles: z.record(z.string(), z.string()).meta({ description: "By locale." }),
      percent: z
        .number()
        .nullable()
        .meta({ description: "The percentage off; null if the discount sets a new price." }),
      price: z
        .string()
        .nullable()
        .meta({ description: "The item's price with this discount, by its current regular price." }),
      price_before: z.string().nullable().meta({ description: "The item's current regular price." }),
      currency: z.string(),
      phase: z.enum(["coming", "running", "past"]),
      starts_at: time,
      ends_at: time.nullable().meta({ description: "Null without a known end." }),
      url: z.url().meta({ description: "The page of the item." }),
      created_at: time,
      updated_at: time,
    })
    .meta({ id: "DiscountRecord" });
}

/** The discounts of the shop: those that are announced, run or are over. */
export function discountRecords(): RecordKind<DiscountRow> {
  return {
    schema: discountSchema(),
    dependsOn: ["shop"],
    find: findDiscountRows,
    findUntold: (db, ids) => discountRows(db, ids),
    list: discountList(findDiscountRows),
    toJson: (row, { site, language }) => ({
      kind: "discount",
      id: row.id,
      item_key: row.item_key,
      title: titleIn(row, language),
      titles: row.titles,
      percent: row.percent === null ? null : Number(row.percent),
      price: discountedPrice({ price: row.item_price, currency: row.currency }, row),
      price_before: row.item_price,
      currency: row.currency,
      phase: row.phase,
      starts_at: row.starts_at.toISOString(),
      ends_at: row.ends_at?.toISOString() ?? null,
      url: absoluteUrl(site.baseUrl, paths.donateItem(row.item_key)),
      created_at: row.created_at.toISOString(),
      updated_at: row.updated_at.toISOString(),
    }),
  };
}

/** The title of a discount for readers of a language, else its main one. */
export function titleIn(
  { title, titles }: Pick<Discount, "title" | "titles">,
  language: Language | undefined,
): string | null {
  if (title === null || language === undefined) return title;
  return localName({ name: title, names: titles }, language).name;
}

async function findDiscountRows(db: Db, ids: string[]): Promise<DiscountRow[]> {
  return discountRows(db, ids).whereRaw(PUBLIC_DISCOUNT);
}

function discountRows(db: Db, ids: string[]) {
  return db("discounts as discount")
    .join("donate_items as item", "item.id", "discount.item_key")
    .select([...DISCOUNT_COLUMNS, "discount.created_at", "item.price as item_price", "item.currency"])
    .select(db.raw(PHASE))
    .whereRaw("discount.id = any(?::text[])", [ids]);
}
