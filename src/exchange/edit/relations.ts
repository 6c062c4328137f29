import type { Knex } from "knex";
import { type Actor, recordAction } from "../../db/audit-queries.ts";
import { relationKind } from "../../records/relations/kinds.ts";
import { badInput } from "../../web/pages/errors.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import {
  type CatalogueKind,
  catalogueKinds,
  type EntityKind,
  kindBySingular,
  singularOf,
} from "../../words/kinds/kinds.ts";
import { importRecords } from "../import/import-records.ts";
import { ImportRefusedError } from "../import/report.ts";
import { removeRecords } from "../write/record-write.ts";
import type { Typed } from "./fields.ts";
import type { OwnRelation } from "./queries.ts";

/** The inputs of a new relation. */
export const RELATION_FIELDS = ["relation", "related_kind", "related", "count", "chance"] as const;

/** The changes of relations that a form asks for. The text of an added one names an entry of its kind. */
export function relationChanges(typed: Typed, own: readonly OwnRelation[]) {
  const chosen = new Set(
    Object.entries(typed).flatMap(([name, id]) => (name.startsWith("unrelate.") ? [id] : [])),
  );
  const removed = own.filter(({ id }) => chosen.has(id)).map(({ id }) => id);
  const kind = catalogueKinds().find((each) => each === typed.related_kind);
  const text = typed.related?.trim() ?? "";
  return { removed, added: kind !== undefined && text !== "" ? { kind, text } : undefined };
}

/** Removes and adds relations of a record in the transaction of its write. @throws HttpError 400 */
export async function writeRelations(
  transaction: Knex.Transaction,
  by: Actor,
  { kind, id }: { kind: CatalogueKind; id: string },
  { removed, added }: { removed: readonly string[]; added: { word: EntityKind; id: string } | undefined },
  typed: Typed,
): Promise<void> {
  if (removed.length > 0) await removeRecords(transaction, "relations", removed);
  if (added) await addRelation(transaction, { word: singularOf(kind), id }, added, typed);
  if (removed.length === 0 && !added) return;
  const after = added && `${typed.relation} ${added.word}:${added.id}`;
  await recordAction(transaction, by, {
    action: "record.changed",
    subject: `${kind}/${id}`,
    before: { relations: removed },
    after: { relations: after === undefined ? [] : [after] },
    note: typed.note?.trim() || undefined,
  });
}

async function addRelation(
  transaction: Knex.Transaction,
  from: { word: EntityKind; id: string },
  to: { word: EntityKind; id: string },
  typed: Typed,
): Promise<void> {
  if (!relationKind(typed.relation ?? ""))
    throw badInput([{ param: "relation", message: lazyText("edit.error.relation") }]);
  const record = {
    ...{ from_kind: kindBySingular(from.word), from_id: from.id, kind: typed.relation },
    ...{ to_kind: kindBySingular(to.word), to_id: to.id },
    count: typed.count?.trim() || null,
    chance: typed.chance?.trim() || null,
  };
  try {
    await importRecords(transaction, "relations", [record], { isSmall: true, isEdit: true });
  } catch (error) {
    if (!(error instanceof ImportRefusedError)) throw error;
    const problems = error.summary.invalidRecords.flatMap((invalid) => invalid.problems);
    throw badInput(
      problems.map(({ field, reason }) => ({
        param: field === "kind" ? "relation" : field,
        message: reason,
      })),
    );
  }
}
