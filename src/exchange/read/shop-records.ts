import type { Knex } from "knex";
import { z } from "zod";
import type { Db } from "../../db/connect.ts";
import {
  loadPriceLows,
  loadPriorPrices,
  type PriceLow,
  type PriceLows,
} from "../../records/prices/price-lows.ts";
import { discountedPrice } from "../../records/prices/prices.ts";
import {
  COST,
  DISCOUNT_COLUMNS,
  type Discount,
  ITEM_COLUMNS,
  PHASE,
  RUNNING,
  type Unpriced,
  type WholeShopItem,
  withSales,
} from "../../records/prices/queries.ts";
import { id, oneOf, searchText, text } from "../../web/request/params.ts";
import type { Language } from "../../words/i18n/languages.ts";
import { localName } from "../../words/i18n/local-name.ts";
import { type EntityKind, entityKinds, kindBySingular } from "../../words/kinds/kinds.ts";
import { absoluteUrl, paths } from "../../words/urls.ts";
import {
  type AskedPage,
  inOrder,
  type KeyColumn,
  type ListedPage,
  pageOf,
  pageOfMatches,
  type RecordList,
} from "./lists.ts";
import {
  describedFields,
  imagesField,
  imagesJson,
  nameFields,
  type RecordKind,
  type RecordLocale,
  time,
} from "./record.ts";

interface DiscountRow extends Discount {
  item_price: string | null;
  currency: string;
  created_at: Date;
}

const FOUND_AT_MOST = 1_000;
const ON_SALE = `exists (select from discounts as discount where discount.item_key = item.id and ${RUNNING})`;

const ITEM_ID: KeyColumn = { sql: "item.id", type: "text" };
const BY_NAME: readonly KeyColumn[] = [
  { sql: 'name_initial(item.name) collate "C"', type: "text" },
  { sql: "item.name collate name_order", type: "text" },
  ITEM_ID,
];
/** Amounts of different currencies cannot be compared, so items are grouped by currency. */
const BY_COST = (cost: KeyColumn): readonly KeyColumn[] => [
  { sql: `(${COST} is null)`, type: "boolean" },
  { sql: 'item.currency collate "C"', type: "text" },
  cost,
  ...BY_NAME,
];
const COST_COLUMN: KeyColumn = { sql: COST, type: "numeric", hasNulls: true };

/** As on the page of the shop. */
const ITEM_SORTS = ["match", "sale", "name", "cheapest", "dearest", "newest", "id"] as const;
type ItemSort = (typeof ITEM_SORTS)[number];

const ITEM_ORDERS: Record<Exclude<ItemSort, "match">, readonly KeyColumn[]> = {
  id: [ITEM_ID],
  name: BY_NAME,
  sale: [{ sql: ON_SALE, type: "boolean", descending: true }, ...BY_NAME],
  cheapest: BY_COST(COST_COLUMN),
  dearest: BY_COST({ ...COST_COLUMN, descending: true }),
  newest: [{ sql: "item.updated_at", type: "timestamptz", descending: true }, ITEM_ID],
};

type ItemInput = { category?: string; sale?: "1"; q?: string; sort?: ItemSort };

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
    dependsOn: ["shop", "catalogue"],
    isTimeSensitive: true,
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
function titleIn(
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

/** The list of the shop, with the filters and sorts of its page. */
function shopList<Row extends { id: string }>(find: Find<Row>): RecordList<Row> {
  return {
    input: {
      category: text(1, 300).optional(),
      q: searchText.optional(),
      sale: oneOf(["1"]).optional(),
      sort: oneOf(ITEM_SORTS).optional(),
    },
    async read(given, asked, { search, secret, snapshot }) {
      const { category, sale, q, sort } = given as unknown as ItemInput;
      // Before the snapshot: who waits for a search must not hold a connection.
      const keys = q ? await search.ids("shop", q, FOUND_AT_MOST, asked.language) : undefined;
      const db = await snapshot();
      const items = db("donate_items as item");
      if (category !== undefined) items.where({ category });
      if (sale) items.whereRaw(ON_SALE);
      if (keys) items.whereRaw("item.id = any(?::text[])", [keys]);
      const order = sort === undefined || sort === "match" ? (keys ? "match" : "sale") : sort;
      const list = { secret, kind: "donate-items", sort: order };
      if (order !== "match") return readIds(db, items, ITEM_ORDERS[order], { list, asked, find });
      const found = await items
        .orderByRaw("array_position(?::text[], item.id)", [keys ?? []])
        .pluck("item.id");
      const page = pageOfMatches(found, list, asked);
      return { rows: inOrder(await find(db, page.ids), page.ids), next: page.next, total: found.length };
    },
  };
}

/** SQL: whether a `discount` may be known: one that has not started only if the operator announced it. */
const PUBLIC_DISCOUNT = "(discount.starts_at <= now() or discount.announced)";

const DISCOUNT_ID: KeyColumn = { sql: "discount.id", type: "text" };

const DISCOUNT_ORDERS = {
  newest: [{ sql: "discount.updated_at", type: "timestamptz", descending: true }, DISCOUNT_ID],
  ends: [{ sql: "discount.ends_at", type: "timestamptz", hasNulls: true }, DISCOUNT_ID],
  id: [DISCOUNT_ID],
} as const satisfies Record<string, readonly KeyColumn[]>;
const DISCOUNT_SORTS = ["newest", "ends", "id"] as const;
const PHASES = ["coming", "running", "past"] as const;

type DiscountInput = {
  item_key?: string;
  phase?: (typeof PHASES)[number];
  sort: (typeof DISCOUNT_SORTS)[number];
};

/** The list of discounts: of one item, in one phase, or all that may be known. */
function discountList<Row extends { id: string }>(find: Find<Row>): RecordList<Row> {
  return {
    input: {
      item_key: id().optional(),
      phase: oneOf(PHASES).optional(),
      sort: oneOf(DISCOUNT_SORTS).default("newest"),
    },
    async read(given, asked, { secret, snapshot }) {
      const { item_key, phase, sort } = given as unknown as DiscountInput;
      const db = await snapshot();
      const known = db("discounts as discount").select("*").select(db.raw(PHASE)).whereRaw(PUBLIC_DISCOUNT);
      const discounts = db.from(known.as("discount"));
      if (item_key !== undefined) discounts.where({ item_key });
      if (phase !== undefined) discounts.where({ phase });
      const list = { secret, kind: "discounts", sort };
      return readIds(db, discounts, DISCOUNT_ORDERS[sort], { list, asked, find });
    },
  };
}

type Find<Row> = (db: Db, ids: string[]) => Promise<Row[]>;

/** A page of a query's records: their ids first, then what is known of them. */
async function readIds<Row extends { id: string }>(
  db: Db,
  query: Knex.QueryBuilder,
  columns: readonly KeyColumn[],
  { list, asked, find }: { list: Parameters<typeof pageOf>[2]; asked: AskedPage; find: Find<Row> },
): Promise<ListedPage<Row>> {
  const [page, counted] = await Promise.all([
    pageOf<{ id: string }>(query.clone().select(columns.at(-1)?.sql ?? "id"), columns, list, asked),
    query.clone().count<{ count: number }[]>({ count: "*" }).first(),
  ]);
  const ids = page.rows.map(({ id }) => id);
  return { rows: inOrder(await find(db, ids), ids), next: page.next, total: counted?.count ?? 0 };
}
