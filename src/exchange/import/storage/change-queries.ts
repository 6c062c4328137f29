import type { Knex } from "knex";
import type { Actor } from "../../../db/audit-queries.ts";
import { selectRow } from "../../../db/rows.ts";
import { isCatalogueKind, singularOf } from "../../../words/kinds/kinds.ts";
import type { ImportOrigin } from "../arguments.ts";
import { definitionOf, type ImportKind } from "../kinds.ts";
import type { WordChange } from "./word-queries.ts";
import { contentDiffers, isTakenOver, mayWrite, STAGING, type WriteScope } from "./write-queries.ts";

/** An import that is recorded while it runs. */
export interface RecordedImport {
  readonly id: number;
  readonly kind: ImportKind;
  readonly source: string | undefined;
}

/** SQL: the time of a write at `:at`, as `updated_at` of the record `t` takes it. */
export const WRITTEN_AT = "greatest(cast(:at as timestamptz), t.updated_at + interval '1 microsecond')";

/** SQL: the sources (`o`) of the records whose id is given. */
export function joinSource(id: string): string {
  return `left join record_sources o on o.kind = :kind and o.id = ${id}`;
}

/** SQL: an object with the rows of other tables that are deleted with a row `t`, by table. */
export function dependentsOf(kind: ImportKind): string {
  const { dependents = [] } = definitionOf(kind);
  return objectOf(dependents.map(({ table, column }) => [table, `d.${column} = t.id`]));
}

/** SQL: the same with the demo's rows that are deleted when a row `t` of the demo is taken over. */
function demoRowsOf(kind: ImportKind): string {
  if (kind === "donate-items") return objectOf([["discounts", "d.demo and d.item_key = t.id"]]);
  if (!isCatalogueKind(kind)) return "null::jsonb";
  const isEnd = (end: string) => `(d.${end}_kind = '${singularOf(kind)}' and d.${end}_id = t.id)`;
  return objectOf([["relations", `d.demo and (${isEnd("from")} or ${isEnd("to")})`]]);
}

function objectOf(rows: readonly (readonly [table: string, condition: string])[]): string {
  const fields = rows.map(
    ([table, condition]) => `'${table}', (select jsonb_agg(to_jsonb(d)) from ${table} d where ${condition})`,
  );
  return `nullif(jsonb_strip_nulls(jsonb_build_object(${fields.join(", ")})), '{}')`;
}

/** Records the rows that a prune is about to delete. */
export async function recordRemovals(
  transaction: Knex.Transaction,
  { id, kind }: RecordedImport,
  isGone: string,
  source: string | undefined,
): Promise<void> {
  await transaction.raw(
    `insert into import_changes (import_id, id, action, before, dependents, source, new_source)
     select :import, t.id, 'removed', to_jsonb(t), ${dependentsOf(kind)}, o.source, o.source
       from ${definitionOf(kind).table} t ${joinSource("t.id")}
      where ${isGone}`,
    { import: id, kind, source: source ?? null },
  );
}

/** Records the staged rows that are about to be written or get another source, and gives them that source. */
export async function recordWrites(
  transaction: Knex.Transaction,
  scope: WriteScope,
  { id, kind, source = null }: Omit<RecordedImport, "source"> & { source?: string | undefined | null },
  at: string,
): Promise<void> {
  const isNews = `(${isTakenOver(scope, "t")} or ${contentDiffers(scope, "t", "s")})`;
  const bindings = { import: id, kind, source, at };
  await transaction.raw(
    `insert into import_changes (import_id, id, action, written_at, before, dependents, source, new_source)
     select :import, s.id,
            case when t.id is null then 'added' when n.is_news then 'changed' else 'kept' end,
            case when t.id is null or n.is_news then ${WRITTEN_AT} else t.updated_at end,
            case when t.id is not null and n.is_news then to_jsonb(t) end,
            case when ${isTakenOver(scope, "t")} then ${demoRowsOf(kind)} end,
            o.source, :source
       from ${STAGING} s left join ${definitionOf(kind).table} t on t.id = s.id ${joinSource("s.id")}
      cross join lateral (select t.id is not null and ${isNews} as is_news) n
      where s.valid and (t.id is null or ${mayWrite(scope, "t")})
        and (t.id is null or n.is_news or o.source is distinct from :source)`,
    bindings,
  );
  await transaction.raw(
    source === null
      ? `delete from record_sources o using ${STAGING} s where o.kind = :kind and o.id = s.id and s.valid`
      : `insert into record_sources as o (kind, id, source) select :kind, s.id, :source from ${STAGING} s where s.valid
         on conflict (kind, id) do update set source = excluded.source where o.source <> excluded.source`,
    bindings,
  );
}

/** Completes the row of an import with who did it and what; resolves to whether anything was recorded. */
export async function describeImport(
  transaction: Knex.Transaction,
  id: number,
  {
    by,
    origin,
    words,
    undoOf = null,
  }: {
    readonly by: Actor;
    readonly origin: ImportOrigin;
    readonly words: readonly WordChange[];
    readonly undoOf?: number | null;
  },
): Promise<boolean> {
  const counts = await selectRow<{ added: number; changed: number; removed: number; all: number }>(
    transaction,
    `select (count(*) filter (where action = 'added'))::int as added,
            (count(*) filter (where action = 'changed'))::int as changed,
            (count(*) filter (where action = 'removed'))::int as removed, count(*)::int as all
       from import_changes where import_id = ?`,
    [id],
  );
  const { all, ...shown } = counts;
  if (all === 0 && words.length === 0) return false;
  await transaction("imports")
    .where({ id })
    .update({
      ...shown,
      ...{ source: origin.source ?? null, file: origin.file ?? null, undo_of: undoOf },
      ...{ via: by.via, user_id: by.userId },
      user_name: by.userId === null ? null : transaction("users").where({ id: by.userId }).select("name"),
      words: words.length > 0 ? JSON.stringify(words) : null,
    });
  return true;
}
