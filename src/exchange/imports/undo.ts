import type { Knex } from "knex";
import { type Actor, recordAction } from "../../db/audit-queries.ts";
import { isLockTimeout } from "../../db/failures.ts";
import { limitWaiting, selectRow, selectRows } from "../../db/rows.ts";
import { lazyText, SaidError } from "../../words/i18n/lazy-text.ts";
import { isCatalogueKind } from "../../words/kinds/kinds.ts";
import { definitionOf, type ImportKind, importKinds } from "../import/kinds.ts";
import { dependentsOf, describeImport, joinSource, WRITTEN_AT } from "../import/storage/change-queries.ts";
import { beginImport, endImport, lockKind, prepareSession } from "../import/storage/queries.ts";
import { applyWords, type WordChange } from "../import/storage/word-queries.ts";
import { readClock, refreshStatistics } from "../import/storage/write-queries.ts";
import { type Merge, moveRows, moveRowsBack } from "./merge-queries.ts";

/** How long the records of an import are kept as they were before. */
export const KEPT_DAYS = 90;

/** How long an undo waits for an import of the same kind. */
const LOCK_TIMEOUT = "3s";

/** Why an import cannot be undone, or a record merged. */
export class UndoRefusedError extends SaidError {
  override name = "UndoRefusedError";
}

interface ImportToUndo {
  readonly id: number;
  readonly kind: ImportKind;
  readonly source: string | null;
  readonly file: string | null;
  readonly words: readonly WordChange[] | null;
  readonly undone_by: number | null;
  readonly is_kept: boolean;
  /** The ids of a merge, or of the undo of one. */
  readonly merged_from: string | null;
  readonly merged_into: string | null;
}

/**
 * SQL: whether a record (`t`, its tombstone `x`, its source `o`) is not as an import left it (`c`). One that was removed,
 * came back and was removed again is known by its tombstone.
 */
export function isTouched(kind: ImportKind): string {
  const isLocked = isCatalogueKind(kind) ? "coalesce(t.locked_at > c.written_at, false)" : "false";
  return `case c.action
    when 'kept' then false
    when 'removed' then t.id is not null or (x.id is not null and x.import_id is distinct from c.import_id)
    else t.id is null or t.updated_at <> c.written_at or ${isLocked} or o.source is distinct from c.new_source end`;
}

/** SQL: the changes of the import `:id` with what there is of their records now. */
export function joinRecords(kind: ImportKind): string {
  return `import_changes c
    left join ${definitionOf(kind).table} t on t.id = c.id
    left join catalogue_tombstones x on x.kind = :kind and x.id = c.id
    ${joinSource("c.id")}`;
}

/**
 * Puts the records of an import back as they were before it, in one transaction. Added records go, changed ones get their
 * former values as a new revision, and removed ones come back with their favorites, alerts, discounts and prices. The undo
 * is an import itself, which can be undone. Returns its number, and how many records were restored and left alone.
 * @param alsoTouched also records that somebody has changed since
 * @throws UndoRefusedError; nothing is written then
 */
export async function undoImport(
  db: Knex,
  id: number,
  { by, alsoTouched = false }: { readonly by: Actor; readonly alsoTouched?: boolean },
) {
  return db.transaction(async (transaction) => {
    const { kind } = await findImport(transaction, id);
    await lockForUndo(transaction, kind);
    // Another undo may have ended meanwhile.
    const undone = await findImport(transaction, id);
    await prepareSession(transaction);
    const at = await readClock(transaction);
    const undoId = await beginImport(transaction, kind);
    const left = await planUndo(transaction, undone, alsoTouched);
    await recordUndo(transaction, { undoId, id, kind, at });
    const merge = await findMerge(transaction, undone);
    if (merge?.isAgain) {
      await moveRows(transaction, undoId, merge);
      await bury(transaction, merge);
    }
    await removeAdded(transaction, kind);
    await restoreRecords(transaction, { id, kind, at });
    if (merge && !merge.isAgain) await moveRowsBack(transaction, id, merge);
    if (merge)
      await transaction("imports")
        .where({ id: undoId })
        .update({ merged_from: merge.from, merged_into: merge.into });
    await restoreSources(transaction, { id, kind });
    const words = await restoreWords(transaction, kind, undone.words ?? []);
    const origin = { source: undone.source ?? undefined, file: undone.file ?? undefined };
    const isRecorded = await describeImport(transaction, undoId, { by, origin, words, undoOf: id });
    if (!isRecorded)
      throw new UndoRefusedError(lazyText(left > 0 ? "imports.undo.all_touched" : "imports.undo.nothing"));
    await endImport(transaction, undoId, { isChange: true });
    await refreshStatistics(transaction, kind);
    const { restored } = await selectRow<{ restored: number }>(
      transaction,
      "select count(*)::int as restored from import_undo where action <> 'kept'",
    );
    const after = { import: id, restored, left };
    await recordAction(transaction, by, { action: "records.undone", subject: kind, after });
    return { id: undoId, restored, left };
  });
}

/** @throws UndoRefusedError */
async function findImport(transaction: Knex.Transaction, id: number): Promise<ImportToUndo> {
  const [found] = await selectRows<ImportToUndo>(
    transaction,
    `select i.id, i.kind, i.source, i.file, i.words, i.merged_from, i.merged_into, u.id as undone_by,
            i.at > now() - make_interval(days => ${KEPT_DAYS}) as is_kept
       from imports i left join imports u on u.undo_of = i.id
      where i.id = ? and i.via is not null`,
    [id],
  );
  if (!found) throw new UndoRefusedError(lazyText("imports.undo.unknown", { id }));
  if (found.undone_by !== null)
    throw new UndoRefusedError(lazyText("imports.undo.twice", { id, by: found.undone_by }));
  if (!found.is_kept) throw new UndoRefusedError(lazyText("imports.undo.too_old", { days: KEPT_DAYS }));
  if (!(await hasKind(transaction, found.kind)))
    throw new UndoRefusedError(lazyText("imports.undo.no_kind", { kind: found.kind }));
  return found;
}

/** Whether the vocabulary has the kind, and the database its table. */
export async function hasKind(db: Knex, kind: ImportKind): Promise<boolean> {
  if (!importKinds().includes(kind)) return false;
  const { table } = definitionOf(kind);
  const row = await selectRow<{ found: boolean }>(db, "select to_regclass(?) is not null as found", [table]);
  return row.found;
}

/** @throws UndoRefusedError while an import of the kind runs */
export async function lockForUndo(transaction: Knex.Transaction, kind: ImportKind): Promise<void> {
  await limitWaiting(transaction, LOCK_TIMEOUT);
  try {
    await lockKind(transaction, kind);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw new UndoRefusedError(lazyText("imports.undo.running"));
  }
  await transaction.raw("set local lock_timeout = 0");
}

/** Lists what is done to each record in a temporary table; resolves to how many are left alone. */
async function planUndo(
  transaction: Knex.Transaction,
  { id, kind }: ImportToUndo,
  alsoTouched: boolean,
): Promise<number> {
  // Imports write so many changes at once that the planner may not have heard of this one's.
  await transaction.raw("analyze import_changes (import_id, id, action)");
  await transaction.raw(
    'create temporary table import_undo (id text collate "C" primary key, action text not null) on commit drop',
  );
  const row = await selectRow<{ left: number }>(
    transaction,
    `with found as (
       select c.id, ${isTouched(kind)} as is_touched,
              case when x.merged_into is not null and x.import_id is distinct from :id then null
                   when c.action = 'kept' then case when o.source is not distinct from c.new_source then 'kept' end
                   when c.before is null then case when t.id is not null then 'removed' end
                   ${kind === "discounts" ? LACKS_ITEM : ""}
                   when t.id is null then 'added'
                   else 'changed' end as action
         from ${joinRecords(kind)}
        where c.import_id = :id),
     planned as (
       insert into import_undo (id, action)
       select id, action from found where action is not null and (:alsoTouched or not is_touched))
     select (count(*) filter (where action is not null and is_touched and not :alsoTouched))::int as left from found`,
    { id, kind, alsoTouched },
  );
  await transaction.raw("analyze import_undo");
  return row.left;
}

/** SQL: a discount only comes back if its item is there. */
const LACKS_ITEM = `when not exists (select from donate_items d where d.id = c.before ->> 'item_key') then null`;

interface UndoScope {
  readonly id: number;
  readonly kind: ImportKind;
  readonly at: string;
}

/** Records the undo as an import. */
async function recordUndo(
  transaction: Knex.Transaction,
  { undoId, ...scope }: UndoScope & { undoId: number },
): Promise<void> {
  await transaction.raw(
    `insert into import_changes (import_id, id, action, written_at, before, dependents, source, new_source)
     select :undoId, u.id, u.action,
            case u.action when 'removed' then null when 'kept' then t.updated_at else ${WRITTEN_AT} end,
            case when u.action in ('changed', 'removed') then to_jsonb(t) end,
            case u.action when 'removed' then ${dependentsOf(scope.kind)} end,
            o.source, c.source
       from import_undo u join import_changes c on c.import_id = :id and c.id = u.id
       left join ${definitionOf(scope.kind).table} t on t.id = u.id ${joinSource("u.id")}`,
    { ...scope, undoId },
  );
}

/**
 * The merge that is undone, or repeated because its undo is undone; undefined if the import is not a merge.
 * @throws UndoRefusedError if the record that is left of it has gone
 */
async function findMerge(
  transaction: Knex.Transaction,
  { kind, merged_from: from, merged_into: into }: ImportToUndo,
): Promise<(Merge & { readonly isAgain: boolean }) | undefined> {
  const planned = await transaction("import_undo").where({ id: from }).first("action");
  if (!isCatalogueKind(kind) || from === null || into === null || !planned) return undefined;
  const there: string[] = await transaction(kind).whereIn("id", [from, into]).forUpdate().pluck("id");
  if (!there.includes(into)) throw new UndoRefusedError(lazyText("imports.undo.no_target", { id: into }));
  return { kind, from, into, isAgain: planned.action === "removed" };
}

/** Removes a record that is merged, which leaves a tombstone that names the other one. */
export async function bury(transaction: Knex.Transaction, { kind, from, into }: Merge): Promise<void> {
  // Records of the demo leave none.
  await transaction(kind).where({ id: from, demo: true }).update({ demo: false });
  await transaction(kind).where({ id: from }).delete();
  await transaction("catalogue_tombstones").where({ kind, id: from }).update({ merged_into: into });
}

async function removeAdded(transaction: Knex.Transaction, kind: ImportKind): Promise<void> {
  await transaction.raw(
    `delete from ${definitionOf(kind).table} t using import_undo u where u.id = t.id and u.action = 'removed'`,
  );
}

/** Restores the records that were changed or removed, in the order of their ids, as an import writes them. */
async function restoreRecords(transaction: Knex.Transaction, { id, kind, at }: UndoScope): Promise<void> {
  const { table, content } = definitionOf(kind);
  const columns = (await listColumns(transaction, table, id)).filter(
    (column) => column !== "updated_at" && column !== "revision",
  );
  const restored = columns.filter((column) => column in content || ["demo", "created_at"].includes(column));
  await transaction.raw(
    `insert into ${table} as t (${["updated_at", ...columns].join(", ")})
     overriding system value
     select ${["cast(:at as timestamptz)", ...columns.map((column) => `b.${column}`)].join(", ")}
       from import_undo u join import_changes c on c.import_id = :id and c.id = u.id
      cross join lateral jsonb_populate_record(null::${table}, c.before) b
      where u.action in ('added', 'changed')
      order by u.id
     on conflict (id) do update set
       ${[...restored.map((column) => `${column} = excluded.${column}`), "revision = t.revision + 1", `updated_at = ${WRITTEN_AT}`].join(", ")}`,
    { id, at },
  );
  await restoreDependents(transaction, { id, kind }, "changed");
  await restoreDependents(transaction, { id, kind }, "added");
}

/** Brings back rows of other tables, except those of accounts that are gone. */
async function restoreDependents(
  transaction: Knex.Transaction,
  { id, kind }: Pick<UndoScope, "id" | "kind">,
  action: "added" | "changed",
): Promise<void> {
  const { dependents = [] } = definitionOf(kind);
  // Taking a record over removed these rows of the demo.
  const ofDemo = { table: kind === "donate-items" ? "discounts" : "relations", column: "", isMade: false };
  for (const { table, column, isMade } of action === "added" ? dependents : [ofDemo]) {
    if (isMade)
      await transaction.raw(
        `delete from ${table} d using import_undo u where u.action = 'added' and d.${column} = u.id`,
      );
    const columns = await listColumns(transaction, table);
    const ofUser = columns.includes("user_id")
      ? "where exists (select from users a where a.id = r.user_id)"
      : "";
    await transaction.raw(
      `insert into ${table} (${columns.join(", ")})
       overriding system value
       select ${columns.map((column) => `r.${column}`).join(", ")}
         from import_undo u join import_changes c on c.import_id = :id and c.id = u.id and u.action = '${action}'
        cross join lateral jsonb_populate_recordset(null::${table}, c.dependents -> '${table}') r
        ${ofUser}
       on conflict do nothing`,
      { id },
    );
  }
}

/** The columns of a table that can be written; of an import, only those that the table had by then. */
async function listColumns(transaction: Knex.Transaction, table: string, id?: number): Promise<string[]> {
  const before =
    "(select before from import_changes where import_id = :id and before is not null limit 1) kept";
  const rows = await selectRows<{ name: string }>(
    transaction,
    `select quote_ident(attname) as name from pg_attribute
      where attrelid = cast(:table as regclass) and attnum > 0 and not attisdropped and attgenerated = ''
        and (:id::bigint is null or attname in (select jsonb_object_keys(before) from ${before}))
      order by attnum`,
    { table, id: id ?? null },
  );
  return rows.map(({ name }) => name);
}

async function restoreSources(
  transaction: Knex.Transaction,
  { id, kind }: Pick<UndoScope, "id" | "kind">,
): Promise<void> {
  await transaction.raw(
    `delete from record_sources o using import_undo u, import_changes c
      where o.kind = :kind and o.id = u.id and c.import_id = :id and c.id = u.id and o.source is distinct from c.source`,
    { id, kind },
  );
  await transaction.raw(
    `insert into record_sources (kind, id, source)
     select :kind, c.id, c.source
       from import_undo u join import_changes c on c.import_id = :id and c.id = u.id ${joinSource("c.id")}
      where c.source is not null and o.id is null`,
    { id, kind },
  );
}

/** Restores the names of categories and values that are still as the import left them; resolves to what that changed. */
async function restoreWords(
  transaction: Knex.Transaction,
  kind: ImportKind,
  words: readonly WordChange[],
): Promise<WordChange[]> {
  if (words.length === 0) return [];
  const changes = await selectRows<WordChange>(
    transaction,
    `select c.key, c.value, c.language, c.before as label, c.label as before
       from jsonb_to_recordset(:words::jsonb) as c (key text, value text, language text, label text, before text)
       left join catalogue_words w
         on w.kind = :kind and (w.key, w.value, w.language) = (c.key, c.value, c.language)
      where w.label is not distinct from c.label`,
    { kind, words: JSON.stringify(words) },
  );
  await applyWords(transaction, kind, changes);
  return changes;
}
