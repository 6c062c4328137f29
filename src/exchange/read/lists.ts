import type { Knex } from "knex";
import type { z } from "zod";
import type { FacetsMemory } from "../../catalogue/facets-memory.ts";
import type { LiveSearch } from "../../search/live-search.ts";
import type { ReadContext } from "../../web/api/endpoint.ts";
import { badInput } from "../../web/pages/errors.ts";
import { readToken, signToken } from "../../web/session/signed-token.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";

/**
 * Paging by keys: a page begins after the sort values of the last record of the page before, not after a number of
 * records. Records that come, go or change meanwhile move no others between pages.
 * https://use-the-index-luke.com/no-offset
 */

/** One column of an order. */
export interface KeyColumn {
  /** SQL with its bindings. */
  readonly sql: string;
  readonly bindings?: readonly string[];
  readonly type: "text" | "numeric" | "double precision" | "timestamptz" | "boolean";
  readonly descending?: true;
  /** It may be null, and then comes last in both directions. */
  readonly hasNulls?: true;
}

/** The sort values of one record as texts, a column each. */
type Keys = readonly (string | null)[];

/** A condition or an order, with its bindings. */
interface Sql {
  readonly sql: string;
  readonly bindings: string[];
}

/** The order that a cursor belongs to. */
interface CursorOf {
  readonly secret: string;
  readonly kind: string;
  readonly sort: string;
}

/** A requested page of a list, without its filters and sort. */
export interface AskedPage {
  readonly limit: number;
  readonly cursor: string | undefined;
  /** The language of names, as in `RecordLocale`. */
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

/** The order of a list. Its last column must tell all records apart. */
export function orderOf(columns: readonly KeyColumn[]): Sql {
  const parts = columns.map(
    ({ sql, descending, hasNulls }) => sql + (descending ? " desc" : "") + (hasNulls ? " nulls last" : ""),
  );
  return { sql: parts.join(", "), bindings: columns.flatMap(({ bindings = [] }) => bindings) };
}

/** A JSON array of the sort values of a row, exactly as they are stored. */
function keysOf(columns: readonly KeyColumn[]): Sql {
  const texts = columns.map(({ sql, type }) =>
    type === "timestamptz"
      ? `to_char((${sql}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
      : // Texts of several collations cannot stand together.
        `(${sql})::text collate "C"`,
  );
  return { sql: `json_build_array(${texts.join(", ")})`, bindings: orderOf(columns).bindings };
}

/** The condition for rows that come after the one with these keys. */
function afterKeys(columns: readonly KeyColumn[], keys: Keys): Sql {
  if (columns.every(({ descending, hasNulls }) => !descending && !hasNulls)) return afterAsRow(columns, keys);
  const steps = columns.map((column, place): Sql => {
    const same = columns.slice(0, place).map((other, at) => equals(other, keys[at] ?? null));
    return joined([...same, isAfter(column, keys[place] ?? null)], " and ");
  });
  const either = joined(steps, " or ");
  const bound = boundOf(columns[0], keys[0] ?? null);
  return bound ? joined([bound, either], " and ") : either;
}

/** Postgres finds this place in an index of the same columns at once. */
function afterAsRow(columns: readonly KeyColumn[], keys: Keys): Sql {
  const { bindings } = orderOf(columns);
  const left = columns.map(({ sql }) => sql).join(", ");
  const right = columns.map(({ type }) => `?::${type}`).join(", ");
  return { sql: `(${left}) > (${right})`, bindings: [...bindings, ...keys.map((key) => key ?? "")] };
}

/** What holds of all rows after the keys, for an index that begins with the first column. */
function boundOf(first: KeyColumn | undefined, key: string | null): Sql | undefined {
  if (!first || first.hasNulls || key === null) return undefined;
  return compared(first, first.descending ? "<=" : ">=", key);
}

function isAfter(column: KeyColumn, key: string | null): Sql {
  // Nulls come last, so nothing but other nulls follows one.
  if (key === null) return { sql: "false", bindings: [] };
  const beyond = compared(column, column.descending ? "<" : ">", key);
  if (!column.hasNulls) return beyond;
  const none = { sql: `${column.sql} is null`, bindings: [...(column.bindings ?? [])] };
  return joined([beyond, none], " or ");
}

function equals(column: KeyColumn, key: string | null): Sql {
  if (key !== null) return compared(column, "=", key);
  return { sql: `${column.sql} is null`, bindings: [...(column.bindings ?? [])] };
}

function compared({ sql, bindings = [], type }: KeyColumn, operator: string, key: string): Sql {
  return { sql: `${sql} ${operator} ?::${type}`, bindings: [...bindings, key] };
}

function joined(parts: readonly Sql[], by: string): Sql {
  return {
    sql: `(${parts.map(({ sql }) => sql).join(by)})`,
    bindings: parts.flatMap(({ bindings }) => bindings),
  };
}

/** A cursor that stands for a place in a list. */
export function writeCursor<Place>({ secret, ...list }: CursorOf, place: Place): string {
  return signToken(secret, purposeOf(list), JSON.stringify(place));
}

/**
 * The place that a cursor stands for; undefined for none.
 * @throws HttpError 400 for a text that is no cursor of this order
 */
export function readCursor<Place>(
  { secret, ...list }: CursorOf,
  cursor: string | undefined,
): Place | undefined {
  if (cursor === undefined) return undefined;
  const value = readToken(secret, purposeOf(list), cursor);
  if (value === undefined) throw badInput([{ param: "cursor", message: lazyText("input.cursor") }]);
  return JSON.parse(value) as Place;
}

/** A sort may name an attribute, whose key may hold any character. */
function purposeOf(list: Omit<CursorOf, "secret">): string {
  return `cursor ${JSON.stringify([list.kind, list.sort])}`;
}
