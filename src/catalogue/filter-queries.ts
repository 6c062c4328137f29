import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import type { Language } from "../words/i18n/languages.ts";
import { localNameSql } from "../words/i18n/local-name.ts";
import { nameInitialSql } from "../words/i18n/name-order.ts";
import type { CatalogueKind } from "../words/kinds/kinds.ts";

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

/** The condition for an attribute: one of some values, or a number between two bounds, inclusive. */
export interface AttributeFilter {
  key: string;
  values?: (string | number | boolean)[] | undefined;
  min?: number | undefined;
  max?: number | undefined;
}

export interface EntryFilter {
  category?: string | undefined;
  /** All of these must match. */
  attributes?: AttributeFilter[] | undefined;
  /** Only these ids, such as those a search found. */
  ids?: string[] | undefined;
  letter?: LetterFilter | undefined;
}

/** The letter that names begin with, as `name_initial` has it. */
interface LetterFilter {
  initial: string;
  /** The names as readers of this language see them; undefined for main names, which have an index. */
  language: Language | undefined;
}

/** A query for the records of a list. */
export function matching(
  db: Db,
  kind: CatalogueKind,
  { category, ids, attributes = [], letter }: EntryFilter,
): Knex.QueryBuilder {
  const query = db(kind);
  if (category !== undefined) query.where({ category });
  if (ids !== undefined) query.whereRaw("id = any(?::text[])", [ids]);
  for (const attribute of attributes) matchAttribute(query, attribute);
  if (letter) {
    const { sql, bindings } = initialSql(letter.language);
    query.whereRaw(`${sql} = ?`, [...bindings, letter.initial]);
  }
  return query;
}

/** The letter that a record is found under by readers of a language; undefined for its main name. */
export function initialSql(language: Language | undefined): { sql: string; bindings: string[] } {
  const { sql, bindings } = language === undefined ? { sql: "name", bindings: [] } : localNameSql(language);
  return { sql: nameInitialSql(sql), bindings };
}

/**
 * Strict mode keeps lists of values from matching. Value filters use the index; a range is checked row by row in a
 * function, as the planner would otherwise read all of the index for it.
 * https://www.postgresql.org/docs/current/functions-json.html#FUNCTIONS-SQLJSON-PATH
 */
function matchAttribute(query: Knex.QueryBuilder, { key, values, min, max }: AttributeFilter): void {
  // A JSON string is a valid key of a path.
  const held = `$.${JSON.stringify(key)}`;
  const among = (values ?? []).map((value) => `@ == ${JSON.stringify(value)}`).join(" || ");
  const bounds = [min === undefined ? [] : `${held} >= ${min}`, max === undefined ? [] : `${held} <= ${max}`];
  const between = bounds.flat().join(" && ");
  // No record is one of no values.
  if (values?.length === 0) query.whereRaw("false");
  if (among !== "") query.whereRaw("attributes @\\? ?::jsonpath", [`strict ${held} ? (${among})`]);
  if (between !== "")
    query.whereRaw("jsonb_path_match(attributes, ?::jsonpath, '{}', true)", [`strict ${between}`]);
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
