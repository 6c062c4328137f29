import type { Knex } from "knex";
import type { z } from "zod";
import type { FacetsMemory } from "../../catalogue/facets-memory.ts";
import type { LiveSearch } from "../../search/live-search.ts";
import type { ReadContext } from "../../web/api/endpoint.ts";
import { type CursorOf, readCursor, writeCursor } from "./cursor.ts";
import { afterKeys, type KeyColumn, type Keys, keysOf, orderOf, type Sql } from "./keyset.ts";

/** A requested page of a list, without its filters and sort. */
export interface AskedPage {
  readonly limit: number;
  readonly cursor: string | undefined;
  /** The language of names, as in `RecordReader`. */
  readonly language: string | undefined;
}

/** One page of a list. */
export interface ListedPage<Row> {
  readonly rows: Row[];
  readonly total: number;
  /** There are more than `total`. */
  readonly atLeast?: boolean;
  /** The cursor of the next page; undefined after the last one. */
  readonly next: string | undefined;
}

/** What lists of records need beside the request's context. */
export interface ListParts {
  /** What lists can be filtered by. */
  readonly facets: FacetsMemory;
  readonly search: LiveSearch;
}

/** How the records of a kind are listed. */
export interface RecordList<Row> {
  /** Its own filters and sorts, as on the kind's page. */
  readonly input: z.ZodRawShape;
  /** It is also filtered by attributes (`a.`, `min.` and `max.`). */
  readonly hasFilters?: true;
  read(
    input: Record<string, unknown>,
    asked: AskedPage,
    context: ReadContext & ListParts,
  ): Promise<ListedPage<Row>>;
}

/** A query for the rows of a list, or what makes one for at least the rows of a page from the condition for its start. */
type PageSource = Knex.QueryBuilder | ((start: Sql | undefined) => Knex.QueryBuilder);

/** A page of rows in an order, from the cursor's place on. */
export async function pageOf<Row extends object>(
  source: PageSource,
  columns: readonly KeyColumn[],
  list: CursorOf,
  { limit, cursor }: AskedPage,
): Promise<Pick<ListedPage<Row>, "rows" | "next">> {
  const after = readCursor<Keys>(list, cursor);
  const start = after && afterKeys(columns, after);
  const query = typeof source === "function" ? source(start) : startAt(source, start);
  const [order, keys] = [orderOf(columns), keysOf(columns)];
  const { client } = query as unknown as { client: Knex.Client };
  const ordered = query
    .select(client.raw(`${keys.sql} as keys`, keys.bindings as never))
    .orderByRaw(order.sql, order.bindings)
    .limit(limit + 1);
  const found = (await ordered) as (Row & { keys: Keys })[];
  const last = found.length > limit ? found[limit - 1] : undefined;
  return {
    rows: found.slice(0, limit),
    next: last && writeCursor(list, last.keys),
  };
}

function startAt(query: Knex.QueryBuilder, start: Sql | undefined): Knex.QueryBuilder {
  return start ? query.whereRaw(start.sql, start.bindings) : query;
}

/** A place in the results of a search: how many came before, and the ids of the last of them. */
interface MatchPlace {
  readonly position: number;
  readonly last: readonly string[];
}

/** Several, for the case that some are removed meanwhile. */
const REMEMBERED = 5;

/** A page of what a search found, best first, after the last record of the page before that is still found. */
export function pageOfMatches(
  ids: readonly string[],
  list: CursorOf,
  { limit, cursor }: AskedPage,
): { ids: string[]; next: string | undefined } {
  const place = readCursor<MatchPlace>(list, cursor);
  const known = place?.last.map((id) => ids.indexOf(id)).find((at) => at >= 0);
  const from = known === undefined ? (place?.position ?? 0) : known + 1;
  const page = ids.slice(from, from + limit);
  const position = from + page.length;
  const last = page.slice(-REMEMBERED).reverse();
  return {
    ids: page,
    next: position < ids.length ? writeCursor<MatchPlace>(list, { position, last }) : undefined,
  };
}

/** Rows in the order of ids; ids without a row are left out. */
export function inOrder<Row extends { id: string }>(rows: readonly Row[], ids: readonly string[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
