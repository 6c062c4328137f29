import { z } from "zod";
import type { Db } from "../../db/connect.ts";
import type { PriceLow, PriceLows } from "../../records/prices/price-lows.ts";
import { loadPriceLows, loadPriorPrices } from "../../records/prices/price-lows-queries.ts";
import { ITEM_COLUMNS, type Unpriced, type WholeShopItem, withSales } from "../../records/prices/queries.ts";
import { type EntityKind, entityKinds, kindBySingular } from "../../words/kinds/kinds.ts";
import { absoluteUrl, paths } from "../../words/urls.ts";
import { titleIn } from "./discount-records.ts";
import {
  describedFields,
  imagesField,
  imagesJson,
  nameFields,
  type RecordKind,
  type RecordLocale,
  time,
} from "./record.ts";
import { shopList } from "./shop-list.ts";

interface ShopRow extends WholeShopItem {
  id: string;
  created_at: Date;
  lows: PriceLows | undefined;
  /** The lowest price of the 30 days before the sale. */
  prior: string | undefined;
}

const amount = z.string().meta({ description: "A decimal text in the item’s currency, such as 12.50." });
const low = z.object({ price: amount, since: time }).meta({ id: "PriceLow" });

/** The schema of an item of the shop. */
function shopItemSchema() {
  return z
    .object({
      kind: z.literal("shop_item"),
      id: z.string(),
      ...nameFields,
      images: imagesField,
      price: amount.nullable().meta({ description: "The regular price; null if unknown." }),
      currency: z.string(),
      discount: z
        .object({
          id: z.string(),
          title: z.string().nullable(),
          percent: z.number().nullable(),
          price: amount.meta({ description: "The current price." }),
          prior_price: amount.nullable().meta({
            description:
              "The lowest price of the 30 days before the reduction (Directive 98/6/EC, Article 6a); null if " +
              "prices have not been recorded that long.",
          }),
          starts_at: time,
          ends_at: time.nullable().meta({ description: "Null without a known end." }),
        })
        .nullable()
        .meta({ description: "The discount that sets the current price." }),
      lows: z
        .object({
          ever: low,
          lately: low
            .nullable()
            .meta({ description: "The lowest of the last 90 days; null if the price did not change." }),
        })
        .nullable()
        .meta({
          description:
            "The lowest prices; null if the price never changed, or prices have been recorded for less than 30 days.",
        }),
      entry: z
        .object({ kind: z.enum(entityKinds()), id: z.string(), url: z.url() })
        .nullable()
        .meta({ description: "The catalogue entry that the item is or unlocks." }),
      url: z.url().meta({ description: "The page of the item." }),
      created_at: time,
      updated_at: time,
    })
    .meta({ id: "ShopItemRecord" });
}

/** The items of the shop. */
export function shopRecords(): RecordKind<ShopRow> {
  return {
    schema: shopItemSchema(),
    // Lows are those of the last 90 days, and what an item names is of the catalogue.
    changesWith: ["shop", "catalogue"],
    showsTime: true,
    find: findShopRows,
    list: shopList(findShopRows),
    toJson: (row, reader) => ({
      kind: "shop_item",
      id: row.id,
      ...describedFields(row, reader.site.vocabulary.shared, reader),
      images: imagesJson(row, reader),
      price: row.price,
      currency: row.currency,
      discount: discountJson(row, reader),
      lows: lowsJson(row.lows),
      entry: entryJson(row, reader),
      url: absoluteUrl(reader.site.baseUrl, paths.donateItem(row.id)),
      created_at: row.created_at.toISOString(),
      updated_at: row.updated_at.toISOString(),
    }),
  };
}

async function findShopRows(db: Db, ids: string[]): Promise<ShopRow[]> {
  const wanted = db("donate_items as item")
    .select<Unpriced<Omit<ShopRow, "lows" | "prior">>[]>([
      ...ITEM_COLUMNS,
      "item.id",
      "item.attributes",
      "item.entity_kind",
      "item.entity_id",
      "item.created_at",
    ])
    .whereRaw("item.id = any(?::text[])", [ids]);
  const [items, lows, priors] = await Promise.all([
    withSales<Omit<ShopRow, "lows" | "prior">>(db, wanted),
    loadPriceLows(db, ids),
    loadPriorPrices(db, ids),
  ]);
  return items.map((item) => ({ ...item, lows: lows.get(item.id), prior: priors.get(item.id) }));
}

function discountJson({ sale, prior }: Pick<ShopRow, "sale" | "prior">, { language }: RecordLocale) {
  if (!sale) return null;
  const { id, percent, starts_at, ends_at } = sale.discount;
  return {
    id,
    title: titleIn(sale.discount, language),
    percent: percent === null ? null : Number(percent),
    price: sale.newPrice,
    prior_price: prior ?? null,
    starts_at: starts_at.toISOString(),
    ends_at: ends_at?.toISOString() ?? null,
  };
}

function lowsJson(lows: PriceLows | undefined) {
  if (!lows) return null;
  const toJson = ({ price, since }: PriceLow) => ({ price, since: since.toISOString() });
  return { ever: toJson(lows.ever), lately: lows.lately ? toJson(lows.lately) : null };
}

/** An item may name an entry of a kind that the site no longer has. */
function entryJson({ entity_kind, entity_id }: WholeShopItem, { site: { baseUrl } }: RecordLocale) {
  const kind = kindBySingular(entity_kind);
  if (kind === undefined || entity_id === null) return null;
  return {
    kind: entity_kind as EntityKind,
    id: entity_id,
    url: absoluteUrl(baseUrl, paths.entry(kind, entity_id)),
  };
}
