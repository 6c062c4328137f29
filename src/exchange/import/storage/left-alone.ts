import type { Knex } from "knex";
import { selectRows } from "../../../db/rows.ts";
import { type LazyText, lazyText } from "../../../words/i18n/lazy-text.ts";
import { isCatalogueKind } from "../../../words/kinds/kinds.ts";
import type { ImportOptions } from "../arguments.ts";
import { contentOf, mayWrite, STAGING, type WriteScope } from "./write-queries.ts";

/** The columns whose parts can be locked one by one. */
const KEYED = ["names", "descriptions", "attributes"];
const NAMED_AT_MOST = 20;

/**
 * Leaves staged records out or restores single fields of them, where operators have hidden, merged or locked something.
 * Resolves to a warning that says so.
 */
export async function leaveAlone(
  transaction: Knex.Transaction,
  scope: WriteScope,
  { prune = false, origin }: ImportOptions,
): Promise<LazyText[]> {
  const run = (sql: string) =>
    selectRows<LeftAlone>(transaction, sql, {
      kind: scope.kind,
      source: origin?.source ?? null,
    });
  const left = await run(LEAVE_OUT);
  const hasLocks = isCatalogueKind(scope.kind);
  if (hasLocks && contentOf(scope).length > 0) left.push(...(await run(keepLocked(scope))));
  if (hasLocks && prune) left.push(...(await run(keepWithLocks(scope.kind))));
  if (left.length === 0) return [];
  const records = left
    .slice(0, NAMED_AT_MOST)
    .map(({ id, reason, detail }) => lazyText(REASONS[reason], { id, ...(detail !== null && { detail }) }));
  const more = left.length - records.length;
  if (more === 0) return [lazyText("refusals.alone", { left: left.length, records })];
  return [lazyText("refusals.alone_more", { left: left.length, records, more })];
}

const REASONS = {
  hidden: "refusals.alone_hidden",
  merged: "refusals.alone_merged",
  locked: "refusals.alone_locked",
  kept: "refusals.alone_kept",
} as const;

interface LeftAlone {
  readonly id: string;
  readonly reason: keyof typeof REASONS;
  readonly detail: string | null;
}

const LEAVE_OUT = `
  update ${STAGING} s set valid = false from catalogue_tombstones t
   where t.kind = :kind and t.id = s.id and s.valid and (t.hidden or t.merged_into is not null)
  returning s.id, case when t.merged_into is null then 'hidden' else 'merged' end as reason, t.merged_into as detail`;

/** SQL: an invalid staged row for each record with a locked field, as a prune removes no record that the file names. */
function keepWithLocks(kind: string): string {
  return `
    insert into ${STAGING} (id, valid) select t.id, false from ${kind} t
     where t.locked <> '{}' and not exists (select from ${STAGING} s where s.id = t.id) and (:source::text is null
       or exists (select from record_sources o where o.kind = :kind and o.id = t.id and o.source = :source))
    returning id, 'kept' as reason, null as detail`;
}

/** SQL: gives staged records the values of the fields that are locked. */
function keepLocked(scope: WriteScope): string {
  const columns = contentOf(scope);
  const differs = columns.map((column) => {
    const [name, length] = [column === "picture" ? "image" : column, column.length + 2];
    return KEYED.includes(column)
      ? `starts_with(f, '${column}.') and s.${column} -> substr(f, ${length}) is distinct from t.${column} -> substr(f, ${length})`
      : `f = '${name}' and s.${column} is distinct from t.${column}`;
  });
  return `
    update ${STAGING} u set ${columns.map((column) => `${column} = n.${column}`).join(", ")}
      from (select s.record, l.fields, ${columns.map((column) => `${keptValue(column)} as ${column}`).join(", ")}
              from ${STAGING} s join ${scope.kind} t on t.id = s.id
             cross join lateral (select string_agg(f, ', ' order by f) as fields from unnest(t.locked) f
                                  where ${differs.map((each) => `(${each})`).join(" or ")}) l
             where s.valid and t.locked <> '{}' and l.fields is not null and ${mayWrite(scope, "t")}) n
     where n.record = u.record
    returning u.id, 'locked' as reason, n.fields as detail`;
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
