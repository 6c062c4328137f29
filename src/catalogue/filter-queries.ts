import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import type { Language } from "../words/i18n/languages.ts";
import { localNameSql } from "../words/i18n/local-name.ts";
import { nameInitialSql } from "../words/i18n/name-order.ts";
import type { CatalogueKind } from "../words/kinds/kinds.ts";

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
