import type { Knex } from "knex";
import { plainText, refuseUnstorable } from "../../records/values.ts";
import { badInput, type HttpError } from "../../web/pages/errors.ts";
import { type LazyText, translateText } from "../../words/i18n/lazy-text.ts";
import { isCatalogueKind } from "../../words/kinds/kinds.ts";
import { importRecords } from "../import/import-records.ts";
import type { InvalidRecord } from "../import/invalid-records.ts";
import { ImportRefusedError, type ImportSummary } from "../import/summary.ts";
import type { Outcome } from "./answer.ts";
import { findCurrent } from "./current-queries.ts";
import { toImport } from "./fields.ts";
import { isJsonObject } from "./merge-patch.ts";
import { keepHidden } from "./planned.ts";
import type { BatchWrite } from "./write.ts";

/** What is wrong with a record of a batch, by its place in it from 0. */
interface WrongRecord {
  readonly index: number;
  readonly id: string | undefined;
  /** Blank: the record as a whole. */
  readonly path: string;
  readonly message: string | LazyText;
}

/** Imports all records of a batch, or none; a dry run is answered the same and undone. @throws HttpError 400 */
export async function writeBatch(
  transaction: Knex.Transaction,
  { kind, records, isDryRun, site }: BatchWrite,
): Promise<Outcome> {
  const ids = records.flatMap((record) => (isJsonObject(record) ? [plainText(record.id)] : []));
  const storable = ids.filter((id) => refuseUnstorable(id) === null);
  const current = kind === "relations" ? new Map() : await findCurrent(transaction, kind, storable);
  const wrong: WrongRecord[] = [];
  const read = records.map((record, index) => {
    if (!isJsonObject(record)) return record;
    const { fields, wrong: ofRecord } = toImport(kind, record);
    const id = plainText(record.id ?? null) || undefined;
    wrong.push(...ofRecord.map(({ param, message }) => ({ index, id, path: param, message })));
    return keepHidden(fields, { kind, current: current.get(plainText(record.id)), site });
  });
  // Runs even if something is wrong, to report all errors at once.
  const dryRun = isDryRun || wrong.length > 0;
  const codes = isCatalogueKind(kind) ? site.vocabulary.of(kind).codes : undefined;
  const options = { dryRun, codes, isSmall: true, reportedAtMost: records.length };
  try {
    const summary = await importRecords(transaction, kind, read, options);
    if (wrong.length > 0) throw refusal(wrong);
    return answerOf(summary);
  } catch (error) {
    if (!(error instanceof ImportRefusedError)) throw error;
    const found = error.summary.invalidRecords.flatMap(wrongIn);
    throw refusal([...wrong, ...found].sort((a, b) => a.index - b.index));
  }
}

function wrongIn({ record, id, problems }: InvalidRecord): WrongRecord[] {
  return problems.map(({ field, reason }) => ({ index: record - 1, id, path: field, message: reason }));
}

function refusal(wrong: readonly WrongRecord[]): HttpError {
  const records = wrong.map(({ index, id, path, message }) => ({
    index,
    id: id ?? null,
    path,
    message: translateText(message),
  }));
  return badInput(
    wrong.map((each) => ({ param: placeOf(each), message: each.message })),
    { records },
  );
}

function placeOf({ index, path }: WrongRecord): string {
  return path === "" ? `records[${index}]` : `records[${index}].${path}`;
}

function answerOf({ dryRun, records, added, changed, unchanged, warnings }: ImportSummary): Outcome {
  const json = { dry_run: dryRun, records, added, changed, unchanged, warnings: [...warnings] };
  return { status: 200, headers: {}, json };
}
