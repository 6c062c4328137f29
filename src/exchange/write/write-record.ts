import { isDeepStrictEqual } from "node:util";
import type { Knex } from "knex";
import { recordAction } from "../../db/audit-queries.ts";
import type { Db } from "../../db/connect.ts";
import { digestOf, entityTag } from "../../web/answers/encoding.ts";
import { badInput, HttpError } from "../../web/pages/errors.ts";
import { said } from "../../words/i18n/said.ts";
import { isCatalogueKind } from "../../words/kinds/kinds.ts";
import { absoluteUrl } from "../../words/urls.ts";
import { importRecords } from "../import/import-records.ts";
import { removeRecords } from "../import/remove-records.ts";
import { ImportRefusedError } from "../import/summary.ts";
import type { ApiRecord } from "../read/record.ts";
import type { AnyRecordKind } from "../read/record-kinds.ts";
import { findRemoved } from "../read/tombstone-queries.ts";
import type { Outcome } from "./answer.ts";
import { type CurrentRecord, findCurrent } from "./current-queries.ts";
import { isJsonObject } from "./merge-patch.ts";
import { planFields, refuseWrite } from "./planned.ts";
import type { SingleWrite } from "./write.ts";

/**
 * Writes one record. Resolves also to a refusal by what is there, which a repeat is answered with too.
 * @throws HttpError 400 for a wrong body
 */
export async function writeRecord(
  transaction: Knex.Transaction,
  records: AnyRecordKind,
  write: SingleWrite,
): Promise<Outcome> {
  const { kind, method, id } = write;
  const current = (await findCurrent(transaction, kind, [id])).get(id);
  const [removed] = current ? [] : await findRemoved(transaction, kind, [id]);
  const isMatch = await matches(transaction, records, write);
  const refused = refuseWrite(write, { current, removedAt: removed?.removed_at, isMatch });
  if (refused) return refused;
  if (removed?.hidden && write.by.via === "api")
    return new HttpError("conflict", said("errors.detail.hidden"));
  await write.prepare?.(transaction);
  if (method === "DELETE") {
    await removeRecords(transaction, kind, [id]);
    await recordWrite(transaction, write, current, undefined);
    await write.complete?.(transaction);
    return { status: 204, headers: {} };
  }
  const { fields, wrong } = planFields(write, current);
  if (wrong.length > 0) throw badInput([...wrong]);
  await importOne(transaction, write, fields);
  await recordWrite(transaction, write, current, (await findCurrent(transaction, kind, [id])).get(id));
  await write.complete?.(transaction);
  const json = await readJson(transaction, records, write);
  if (!json) throw new Error(`${kind} has no ${id} after it was written`);
  return success(write, json, current === undefined);
}

/** Adds the write to the audit log, and its author and note to the revision that it made. */
async function recordWrite(
  transaction: Knex.Transaction,
  { kind, id, by, note, ...write }: SingleWrite,
  before: CurrentRecord | undefined,
  after: CurrentRecord | undefined,
): Promise<void> {
  const usual = after === undefined ? "record.removed" : before ? "record.changed" : "record.added";
  const action = write.action ?? usual;
  const states = { before: before && flatFields(before), after: after && flatFields(after) };
  await recordAction(transaction, by, { action, subject: `${kind}/${id}`, note, ...states });
  if (!isCatalogueKind(kind) || after === undefined || isDeepStrictEqual(before, after)) return;
  await transaction.raw(
    `update catalogue_revisions set author = (select name from users where id = :userId), note = :note
      where kind = :kind and entry_id = :id and revision = (select revision from :table: where id = :id)`,
    { kind, id, table: kind, userId: by.userId, note: note ?? null },
  );
}

/** The fields of a record that have a value, with attributes and texts by language one by one: `names.ru`. */
function flatFields(record: CurrentRecord): Record<string, unknown> {
  const entries = Object.entries(record).flatMap(([field, value]): [string, unknown][] =>
    isJsonObject(value)
      ? Object.entries(value).map(([key, part]) => [`${field}.${key}`, part])
      : [[field, value]],
  );
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}

/** The entity tag of a record as it is; undefined if it is not there. */
export async function findTag(
  db: Db,
  records: AnyRecordKind,
  record: Pick<SingleWrite, "id" | "site">,
): Promise<string | undefined> {
  const json = await readJson(db, records, record);
  return json && entityTag(digestOf(JSON.stringify(json)), "identity");
}

/** Whether `If-Match` names the record as it is. A record has another entity tag in each encoding. */
async function matches(db: Db, records: AnyRecordKind, write: SingleWrite): Promise<boolean> {
  const { ifMatch } = write;
  if (!Array.isArray(ifMatch)) return ifMatch === "*";
  const json = await readJson(db, records, write);
  if (!json) return false;
  const digest = digestOf(JSON.stringify(json));
  return ["identity", "br", "gzip"].some((encoding) => ifMatch.includes(entityTag(digest, encoding)));
}

async function readJson(
  db: Db,
  records: AnyRecordKind,
  { id, site }: Pick<SingleWrite, "id" | "site">,
): Promise<ApiRecord | undefined> {
  const [row] = await (records.findUntold ?? records.find).call(records, db, [id]);
  return row && records.toJson(row, { site });
}

/** @throws HttpError 400 */
async function importOne(
  transaction: Knex.Transaction,
  { kind, site }: SingleWrite,
  fields: Record<string, unknown>,
): Promise<void> {
  const codes = isCatalogueKind(kind) ? site.vocabulary.of(kind).codes : undefined;
  try {
    await importRecords(transaction, kind, [fields], { codes, isSmall: true, isEdit: true });
  } catch (error) {
    if (!(error instanceof ImportRefusedError)) throw error;
    const problems = error.summary.invalidRecords.flatMap((invalid) => invalid.problems);
    throw badInput(problems.map(({ field, reason }) => ({ param: field || "body", message: reason })));
  }
}

function success({ kind, id, site }: SingleWrite, json: ApiRecord, isNew: boolean): Outcome {
  const url = absoluteUrl(site.baseUrl, `/api/${kind}/${encodeURIComponent(id)}`);
  const headers = {
    ETag: entityTag(digestOf(JSON.stringify(json)), "identity"),
    ...(isNew && { Location: url }),
  };
  return { status: isNew ? 201 : 200, headers, json };
}
