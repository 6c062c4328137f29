import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import type { CatalogueKind } from "../words/kinds/kinds.ts";
import { type EntryFilter, matching } from "./filter-queries.ts";

/** A list of up to this many records is found whole and then sorted. */
const FEW = 2_000;
/** How many records of the order are looked at first, unless ten times the wanted number is more. */
const LOOKED_AT = 20_000;

interface Sql {
  readonly sql: string;
  readonly bindings: (string | string[])[];
}

/** The columns that lists are ordered by. */
const ORDERED_BY = ["id", "name", "names", "popularity", "updated_at"];

/** The wanted records of a list. */
interface Range {
  /** The name of the order; undefined for one by an attribute or by names in a language, which has no index. */
  readonly sort: string | undefined;
  readonly order: Sql;
  /** The condition for records of this page and the next ones; undefined for all of the list. */
  readonly after?: Sql | undefined;
  /** How many records are wanted, with those of the pages before. */
  readonly end: number;
  /** How many records the list holds, or as far as they were counted; need not be known if `isWholeIndex`. */
  readonly total: number;
}

/**
 * A query for at least the first `end` records of a list, which the caller sorts and cuts.
 *
 * By itself, Postgres reads the index of the order until the page is full. If the matches come late, such as names
 * that all begin with Z, that is most of a large table. This looks at the first records of the order only, and finds
 * all matches if those do not fill the page.
 */
export function readInOrder(
  db: Db,
  kind: CatalogueKind,
  filter: EntryFilter,
  { sort, order, after, end, total }: Range,
): Knex.QueryBuilder {
  const start = (query: Knex.QueryBuilder) => (after ? query.whereRaw(after.sql, after.bindings) : query);
  const all = () => start(matching(db, kind, filter));
  const served = servedByIndex(sort, filter);
  if (served === undefined || isWholeIndex(sort, filter)) return all();
  const first = db.from("found").select("id").orderByRaw(order.sql, order.bindings).limit(end);
  if (total <= FEW) {
    const found = all().select(ORDERED_BY);
    return db.withMaterialized("found", found).from(kind).whereIn("id", first);
  }
  const looked = start(matching(db, kind, served))
    .select("*")
    .orderByRaw(order.sql, order.bindings)
    .limit(Math.max(LOOKED_AT, 10 * end));
  // Postgres keeps the order of a subquery with a limit, and stops reading it once `early` is full.
  const early = matching(db, kind, filter).from(looked.as("looked")).select(ORDERED_BY).limit(end);
  const others = all().select(ORDERED_BY).whereRaw("(select count(*) from early) < ?", [end]);
  const found = db
    .from("early")
    .select(ORDERED_BY)
    .whereRaw("(select count(*) from early) >= ?", [end])
    .unionAll([others]);
  return db.withMaterialized("early", early).withMaterialized("found", found).from(kind).whereIn("id", first);
}

/** The part of a filter whose records an index has in an order; undefined if no index has the order. */
function servedByIndex(sort: string | undefined, { category, letter }: EntryFilter): EntryFilter | undefined {
  if (sort === "id" || sort === "newest") return {};
  if (sort === "name") return { category, letter: letter?.language === undefined ? letter : undefined };
  return sort === "popularity" && category !== undefined ? { category } : undefined;
}

/** Whether one index has exactly the records of a list, in its order. Then `total` does not matter. */
export function isWholeIndex(sort: string | undefined, filter: EntryFilter): boolean {
  const served = servedByIndex(sort, filter);
  const { category, ids, attributes = [], letter } = filter;
  const isRest = ids !== undefined || attributes.length > 0;
  return served !== undefined && !isRest && served.category === category && served.letter === letter;
}
