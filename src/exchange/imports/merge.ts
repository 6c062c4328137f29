import type { Knex } from "knex";
import { findSuccessor } from "../../catalogue/entry/queries.ts";
import { type Actor, recordAction } from "../../db/audit-queries.ts";
import { HttpError } from "../../web/pages/errors.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { dependentsOf, describeImport, joinSource, WRITTEN_AT } from "../import/storage/change-queries.ts";
import { beginImport, endImport } from "../import/storage/queries.ts";
import { readClock } from "../import/storage/write-queries.ts";
import { noteAuthor } from "../write/record-write.ts";
import { type Merge, moveRows } from "./merge-queries.ts";
import { bury, lockForUndo } from "./undo.ts";

/**
 * Merges a record into another one, or into that which the other was merged into: favorites, relations and all else that
 * refers to it move there, and its address leads there. A merge is an import of its own, so it can be undone. Resolves
 * to its number and to the record that is left.
 * @throws HttpError 409, UndoRefusedError; nothing is written then
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
    if (!there.includes(from)) throw new HttpError("conflict", lazyText("edit.merge.gone", { id: from }));
    if (from === into) throw new HttpError("conflict", lazyText("edit.merge.itself"));
    if (!there.includes(into)) throw new HttpError("conflict", lazyText("edit.merge.gone", { id: into }));
    const [at, id] = [await readClock(transaction), await beginImport(transaction, kind)];
    const merge = { kind, from, into };
    await recordMerge(transaction, id, merge, at);
    await moveRows(transaction, id, merge);
    await giveToTarget(transaction, merge, at);
    await noteAuthor(transaction, { kind, id: into, by, note });
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

async function recordMerge(
  transaction: Knex.Transaction,
  importId: number,
  { kind, from, into }: Merge,
  at: string,
): Promise<void> {
  await transaction.raw(
    `insert into import_changes (import_id, id, action, written_at, before, dependents, source, new_source)
     select :importId, t.id, case t.id when :from then 'removed' else 'changed' end,
            case t.id when :into then ${WRITTEN_AT} end, to_jsonb(t),
            case t.id when :from then ${dependentsOf(kind)} end, o.source, o.source
       from ${kind} t ${joinSource("t.id")} where t.id in (:from, :into)`,
    { importId, kind, from, into, at },
  );
}

/** Writes a revision of the record that is left, with the other's picture if it has none itself. */
async function giveToTarget(
  transaction: Knex.Transaction,
  { kind, ...ids }: Merge,
  at: string,
): Promise<void> {
  const given = ["picture", "image"].map(
    (column) =>
      `${column} = case when t.picture is null and t.image is null then f.${column} else t.${column} end`,
  );
  await transaction.raw(
    `update ${kind} t set ${given.join(", ")}, demo = false, revision = t.revision + 1, updated_at = ${WRITTEN_AT}
       from ${kind} f where t.id = :into and f.id = :from`,
    { ...ids, at },
  );
}
