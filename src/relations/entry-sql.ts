import { CATALOGUE_KINDS, KINDS } from "../kinds/kinds.ts";

/**
 * SQL: a subquery with the entry that two columns name, from the table of its kind; empty if it does not exist. For a
 * lateral join: of its parts, only the one of the kind is run.
 */
export function entryNamed(kind: string, id: string): string {
  const parts = CATALOGUE_KINDS.map(
    (table) =>
      `select name, names, picture, image from ${table} where ${kind} = '${KINDS[table].one}' and id = ${id}`,
  );
  return `(${parts.join(" union all ")})`;
}
