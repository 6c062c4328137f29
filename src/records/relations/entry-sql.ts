import { catalogueKinds, singularOf } from "../../words/kinds/kinds.ts";

/**
 * SQL: a subquery with the entry that two columns name, from the table of its kind; empty if it does not exist. For a
 * lateral join: of its parts, only the one of the kind is run. Wants the bindings of `tintBindings`.
 */
export function entryNamed(kind: string, id: string): string {
  const parts = catalogueKinds().map(
    (table) =>
      `select name, names, category, picture, image, attributes -> :tint_${table} as tinted from ${table} where ${kind} = '${singularOf(table)}' and id = ${id}`,
  );
  return `(${parts.join(" union all ")})`;
}
