import type { Knex } from "knex";
import type { Db } from "../../db/connect.ts";
import { computeDigest, entityTag } from "../../web/answers/encoding.ts";
import { badInput } from "../../web/pages/errors.ts";
import { isCatalogueKind } from "../../words/kinds/kinds.ts";
import { absoluteUrl } from "../../words/urls.ts";
import { importRecords } from "../import/import-records.ts";
import { removeRecords } from "../import/remove-records.ts";
import { ImportRefusedError } from "../import/summary.ts";
import type { ApiRecord } from "../read/record.ts";
import type { AnyRecordKind } from "../read/record-kinds.ts";
import { findRemoved } from "../read/tombstone-queries.ts";
import type { Outcome } from "./answer.ts";
import { findCurrent } from "./current-queries.ts";
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
  if (method === "DELETE") {
    await removeRecords(transaction, kind, [id]);
    return { status: 204, headers: {} };
  }
  const { fields, wrong } = planFields(write, current);
  if (wrong.length > 0) throw badInput([...wrong]);
  await importOne(transaction, write, fields);
  const json = await readJson(transaction, records, write);
  if (!json) throw new Error(`${kind} has no ${id} after it was written`);
  return success(write, json, current === undefined);
}

/** Whether `If-Match` names the record as it is. A record has another entity tag in each encoding. */
async function matches(db: Db, records: AnyRecordKind, write: SingleWrite): Promise<boolean> {
  const { ifMatch } = write;
  if (!Array.isArray(ifMatch)) return ifMatch === "*";
  const json = await readJson(db, records, write);
  if (!json) return false;
  const digest = computeDigest(JSON.stringify(json));
  return ["identity", "br", "gzip"].some((encoding) => ifMatch.includes(entityTag(digest, encoding)));
}

async function readJson(
  db: Db,
  records: AnyRecordKind,
  { id, site }: SingleWrite,
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
    ETag: entityTag(computeDigest(JSON.stringify(json)), "identity"),
    ...(isNew && { Location: url }),
  };
  return { status: isNew ? 201 : 200, headers, json };
}
