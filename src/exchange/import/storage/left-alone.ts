import type { Knex } from "knex";
import { selectRows } from "../../../db/rows.ts";
import { type CatalogueKind, isCatalogueKind } from "../../../words/kinds/kinds.ts";
import { definitionOf, type ImportKind } from "../kinds.ts";
import { contentOf, mayWrite, STAGING, type WriteScope } from "./write-queries.ts";

/** A record that an import leaves as it is, at least in part, and why. */
export interface LeftAlone {
  readonly id: string;
  readonly reason: string;
}

/** The columns of which each part can be locked. */
const KEYED = ["names", "descriptions", "attributes"];
const NAMED_AT_MOST = 20;

/** SQL: whether a record `t` has no locked field. An import that prunes keeps one that has. */
export function isUnlocked(kind: ImportKind): string {
  return isCatalogueKind(kind) ? "t.locked = '{}'" : "true";
}

/** Leaves out the staged records that an operator hides or has merged into another one. */
export async function leaveOut(transaction: Knex.Transaction, kind: CatalogueKind): Promise<LeftAlone[]> {
  return selectRows<LeftAlone>(
    transaction,
    `update ${STAGING} s set valid = false from catalogue_tombstones t
      where t.kind = ? and t.id = s.id and s.valid and (t.hidden or t.merged_into is not null)
     returning s.id, coalesce('merged into ' || t.merged_into, 'hidden') as reason`,
    [kind],
  );
}

/** Gives staged records the values of the fields that are locked. */
export async function keepLocked(transaction: Knex.Transaction, scope: WriteScope): Promise<LeftAlone[]> {
  const columns = contentOf(scope);
  const differs = columns.flatMap((column) => {
    if (column === "picture") return [];
    const parts = `starts_with(f, '${column}.') and s.${column} -> substr(f, ${column.length + 2}) is distinct from
      t.${column} -> substr(f, ${column.length + 2})`;
    return [KEYED.includes(column) ? parts : `f = '${column}' and s.${column} is distinct from t.${column}`];
  });
  if (columns.includes("picture")) differs.push("f = 'image' and s.picture is distinct from t.picture");
  if (differs.length === 0) return [];
  return selectRows<LeftAlone>(
    transaction,
    `update ${STAGING} u set ${columns.map((column) => `${column} = n.${column}`).join(", ")}
       from (select s.record, l.fields, ${columns.map((column) => `${keptValue(column)} as ${column}`).join(", ")}
               from ${STAGING} s join ${definitionOf(scope.kind).table} t on t.id = s.id
              cross join lateral (select string_agg(f, ', ' order by f) as fields from unnest(t.locked) f
                                   where ${differs.map((each) => `(${each})`).join(" or ")}) l
              where s.valid and t.locked <> '{}' and l.fields is not null and ${mayWrite(scope, "t")}) n
      where n.record = u.record
     returning u.id, 'locked: ' || n.fields as reason`,
  );
}

/** SQL: the value of a column for a staged row `s`, with what is locked in the record `t`. */
function keptValue(column: string): string {
  if (!KEYED.includes(column)) {
    const field = column === "picture" ? "image" : column;
    return `case when '${field}' = any(t.locked) then t.${column} else s.${column} end`;
  }
  const parts = (row: string, isKept: string) =>
    `(select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(${row}.${column})
       where ${isKept} ('${column}.' || key = any(t.locked)))`;
  return `${parts("s", "not")} || ${parts("t", "")}`;
}

/** Says in a warning what an import left alone. */
export function describeLeft(left: readonly LeftAlone[]): string[] {
  if (left.length === 0) return [];
  const named = left.slice(0, NAMED_AT_MOST).map(({ id, reason }) => `${id} (${reason})`);
  const more = left.length > named.length ? `, and ${left.length - named.length} more` : "";
  return [`${left.length} left alone: ${named.join(", ")}${more}`];
}
