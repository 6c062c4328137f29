import type { Knex } from "knex";
import type { Db } from "../../db/connect.ts";
import { COST, PHASE, RUNNING } from "../../records/prices/queries.ts";
import { id, oneOf, searchText, text } from "../../web/request/params.ts";
import type { KeyColumn } from "./keyset.ts";
import { type AskedPage, inOrder, type ListedPage, pageOf, pageOfMatches, type RecordList } from "./lists.ts";

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

/** The list of the shop, with the filters and sorts of its page. */
export function shopList<Row extends { id: string }>(find: Find<Row>): RecordList<Row> {
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
      const keys = q ? await search.ids("shop", q, FOUND_AT_MOST) : undefined;
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
export const PUBLIC_DISCOUNT = "(discount.starts_at <= now() or discount.announced)";

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
export function discountList<Row extends { id: string }>(find: Find<Row>): RecordList<Row> {
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
