import type { Knex } from "knex";
import { findSuccessor } from "../../catalogue/entry/queries.ts";
import { type Actor, recordAction } from "../../db/audit-queries.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import type { CatalogueKind } from "../../words/kinds/kinds.ts";
import { dependentsOf, describeImport, joinSource, WRITTEN_AT } from "../import/storage/change-queries.ts";
import { beginImport, endImport } from "../import/storage/queries.ts";
import { readClock } from "../import/storage/write-queries.ts";
import { type Merge, moveRows } from "./merge-queries.ts";
import { bury, lockForUndo, UndoRefusedError } from "./undo.ts";

const RECORD = (kind: CatalogueKind) => `
  insert into import_changes (import_id, id, action, written_at, before, dependents, source, new_source)
  select :importId, t.id, case t.id when :from then 'removed' else 'changed' end,
         case t.id when :into then ${WRITTEN_AT} end, to_jsonb(t),
         case t.id when :from then ${dependentsOf(kind)} end, o.source, o.source
    from ${kind} t ${joinSource("t.id")} where t.id in (:from, :into)`;

/** SQL: a revision of the record that is left, with the other's picture if it has none itself. */
const GIVE = (kind: CatalogueKind) => `
  update ${kind} t set demo = false, revision = t.revision + 1, updated_at = ${WRITTEN_AT},
         picture = case when t.image is null then coalesce(t.picture, f.picture) else t.picture end,
         image = case when t.picture is null then coalesce(t.image, f.image) else t.image end
    from ${kind} f where t.id = :into and f.id = :from`;

/**
 * Merges a record into another one, or into that one's own successor. Favorites, relations and other references move
 * there, and its address leads there. A merge is an import of its own, so it can be undone. Resolves to its number and to
 * the record that is left.
 * @throws UndoRefusedError; nothing is written then
 */
export async function mergeRecords(
  db: Knex,
  { kind, from, into: wanted }: Merge,
  { by, note }: { readonly by: Actor; readonly note?: string | undefined },
): Promise<{ id: number; into: string }> {
  return db.transaction(async (transaction) => {
    await lockForUndo(transaction, kind);
    const into = (await findSuccessor(transaction, kind, wanted)) ?? wanted;
    // Favorites that are being added come before, as their foreign keys lock the records.
    const there: string[] = await transaction(kind)
      .whereIn("id", [from, into])
      .orderBy("id")
      .forUpdate()
      .pluck("id");
    if (!there.includes(from)) throw new UndoRefusedError(lazyText("edit.merge.gone", { id: from }));
    if (from === into) throw new UndoRefusedError(lazyText("edit.merge.itself"));
    if (!there.includes(into)) throw new UndoRefusedError(lazyText("edit.merge.gone", { id: into }));
    const [at, id] = [await readClock(transaction), await beginImport(transaction, kind)];
    const merge = { kind, from, into };
    await transaction.raw(RECORD(kind), { ...merge, at, importId: id });
    await moveRows(transaction, id, merge);
    await transaction.raw(GIVE(kind), { ...merge, at });
    await bury(transaction, merge);
    await transaction("imports").where({ id }).update({ merged_from: from, merged_into: into });
    await describeImport(transaction, id, { by, origin: {}, words: [] });
    await endImport(transaction, id, { isChange: true });
    const action = {
      action: "record.merged",
      subject: `${kind}/${from}`,
      after: { into, import: id },
    } as const;
    await recordAction(transaction, by, { ...action, note });
    return { id, into };
  });
}
