import { isDeepStrictEqual } from "node:util";
import type { Knex } from "knex";
import { type Actor, recordAction, signRevision } from "../../db/audit-queries.ts";
import { isCatalogueKind } from "../../words/kinds/kinds.ts";
import { isObject } from "../../words/text/json.ts";
import { definitionOf, type ImportKind } from "../import/kinds.ts";
import { beginImport, endImport, lockKind } from "../import/storage/queries.ts";
import type { CurrentRecord } from "./current-queries.ts";

interface RecordedWrite {
  readonly kind: ImportKind;
  readonly id: string;
  readonly by: Actor;
  readonly action?: "record.hidden" | "record.restored";
  readonly note?: string | undefined;
}

/** Adds the write to the audit log, and its author and note to the revision that it made. */
export async function recordWrite(
  transaction: Knex.Transaction,
  { kind, id, by, note, ...write }: RecordedWrite,
  before: CurrentRecord | undefined,
  after: CurrentRecord | undefined,
): Promise<void> {
  const usual = after === undefined ? "record.removed" : before ? "record.changed" : "record.added";
  const action = write.action ?? usual;
  const states = { before: before && flatFields(before), after: after && flatFields(after) };
  await recordAction(transaction, by, { action, subject: `${kind}/${id}`, note, ...states });
  if (!isCatalogueKind(kind) || after === undefined || isDeepStrictEqual(before, after)) return;
  await signRevision(transaction, by, { kind, id, note });
}

/** The fields of a record that have a value, with attributes and texts by language one by one: `names.ru`. */
function flatFields(record: CurrentRecord): Record<string, unknown> {
  const entries = Object.entries(record).flatMap(([field, value]): [string, unknown][] =>
    isObject(value)
      ? Object.entries(value).map(([key, part]) => [`${field}.${key}`, part])
      : [[field, value]],
  );
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}

/**
 * Removes records as an import that prunes does: they leave tombstones, and favorites and discounts go with them. Ids
 * without a record are left out.
 */
export async function removeRecords(
  transaction: Knex.Transaction,
  kind: ImportKind,
  ids: readonly string[],
): Promise<void> {
  await lockKind(transaction, kind);
  const id = await beginImport(transaction, kind);
  const removed = await transaction(definitionOf(kind).table)
    .whereRaw("id = any(?::text[])", [[...ids]])
    .delete();
  await endImport(transaction, id, { isChange: removed > 0 });
}
