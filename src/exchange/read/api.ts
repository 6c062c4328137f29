import { z } from "zod";
import { findSuccessor } from "../../catalogue/entry/queries.ts";
import { notThen, pastInput } from "../../catalogue/past/input.ts";
import type { Db } from "../../db/connect.ts";
import type { Dependencies } from "../../web/answers/answer-scope.ts";
import { type Endpoint, type ReadContext, readEndpoint } from "../../web/api/endpoint.ts";
import { gone, moved, notFound } from "../../web/pages/errors.ts";
import { id, languageTag, text } from "../../web/request/params.ts";
import { zodMessage } from "../../words/i18n/lazy-text.ts";
import { type CatalogueKind, isCatalogueKind } from "../../words/kinds/kinds.ts";
import { withQuery } from "../../words/urls.ts";
import { missingOf, type ReadKind } from "./kinds.ts";
import { inOrder, type ListParts } from "./lists.ts";
import {
  linkToNext,
  nextAddress,
  pageFields,
  pageParameters,
  RECORDS_AT_MOST,
  recordsCsv,
  type Selection,
  select,
  splitList,
} from "./page-parameters.ts";
import type { RecordLocale } from "./record.ts";
import type { AnyRecordKind, recordKinds } from "./record-kinds.ts";
import { findRemoved } from "./tombstone-queries.ts";

/** Addresses of more than 16 KiB are refused anyway. */
const IDS_LENGTH = 16_000;

const idList = text(1, IDS_LENGTH)
  .transform(splitList)
  .pipe(z.array(id()).max(RECORDS_AT_MOST, zodMessage("input.ids_at_most", { max: RECORDS_AT_MOST })))
  .meta({ override: { type: "string", maxLength: IDS_LENGTH } })
  .optional();

/** The reading of records, one style for all kinds that there are: one, or many as JSON or as CSV. */
export function recordEndpoints(kinds: ReturnType<typeof recordKinds>, lists: ListParts): Endpoint[] {
  return [...kinds].flatMap(([kind, records]) => {
    const list = listDeclaration(kind, records, lists);
    return [getRecord(kind, records), readEndpoint(list), listAsCsv(kind, list)];
  });
}

function getRecord(kind: ReadKind, records: AnyRecordKind): Endpoint {
  return readEndpoint({
    access: "session-or-key",
    ofKind: kind,
    path: `/api/${kind}/{id}`,
    operationId: "getRecord",
    input: z.object({ id: id(), lang: languageTag, ...(records.past && pastInput) }),
    output: records.schema,
    // Only entries leave a tombstone.
    problems: isCatalogueKind(kind) ? ["notFound", "gone", "moved"] : ["notFound"],
    cache: records,
    handle: async ({ id, lang, at }: { id: string; lang?: string | undefined; at?: Date }, context) => {
      // Before the snapshot: nobody waits for a second connection while they hold one.
      const site = await context.readSite();
      const db = await context.snapshot();
      const reader = { site, language: lang };
      if (at) {
        const former = await records.past?.find(db, id, at);
        if (!former) throw notThen();
        return records.toJson(former, reader);
      }
      const [[row], [removed]] = await Promise.all([records.find(db, [id]), findRemoved(db, kind, [id])]);
      if (row) return records.toJson(row, reader);
      const into = removed?.merged_into && (await findSuccessor(db, kind as CatalogueKind, id));
      if (into && (await records.find(db, [into])).length > 0)
        throw moved(withQuery(`/api/${kind}/${encodeURIComponent(into)}`, { lang }));
      throw removed ? gone(removed.removed_at) : notFound(missingOf(kind));
    },
  });
}

/** The list under a name that programs without headers can ask for, such as spreadsheets. */
function listAsCsv(kind: ReadKind, { csv, ...declaration }: ReturnType<typeof listDeclaration>): Endpoint {
  return readEndpoint({
    ...declaration,
    path: `/api/${kind}.csv`,
    operationId: "listRecordsAsCsv",
    csv: { ...csv, only: true },
  });
}

type ListInput = {
  ids?: string[];
  limit: number;
  cursor?: string;
  fields?: Selection;
  lang?: string;
  q?: string;
  at?: Date;
};

function listDeclaration(kind: ReadKind, records: AnyRecordKind, lists: ListParts) {
  return {
    access: "session-or-key" as const,
    ofKind: kind,
    path: `/api/${kind}` as `/api/${string}`,
    operationId: "listRecords" as "listRecords" | "listRecordsAsCsv",
    input: z.object({
      ids: idList,
      ...records.list.input,
      ...pageParameters(records.schema),
      ...(records.past && pastInput),
    }),
    output: listOutput(records.schema),
    // As dear as the list of servers with their history: up to 200 records, and a sort may read all of a kind.
    cost: 5,
    hasFilters: records.list.hasFilters ?? false,
    handle: async (given: unknown, context: ReadContext) => {
      const { ids, limit, cursor, fields, lang, ...input } = given as ListInput;
      const reader: RecordLocale = { site: await context.readSite(), language: lang };
      const toJson = (row: { id: string }) => select(records.toJson(row, reader), fields);
      if (ids && !input.at) return readIds(kind, records, ids, await context.snapshot(), toJson);
      const asked = { limit, cursor, language: lang };
      const { read } = (input.at && records.past) || records.list;
      const page = await read(input, asked, { ...context, ...lists });
      return {
        total: page.total,
        ...(page.atLeast && { total_is_lower_bound: true as const }),
        next: nextAddress(page.next, context),
        records: page.rows.map(toJson),
      };
    },
    link: linkToNext,
    cache: (_output: unknown, input: unknown): Dependencies => {
      const { dependsOn, isTimeSensitive } = records;
      return { dependsOn: (input as ListInput).q ? [...dependsOn, "search"] : dependsOn, isTimeSensitive };
    },
    csv: {
      text: (output: { records: Record<string, unknown>[] }, input: unknown) =>
        recordsCsv(records.schema, output.records, (input as ListInput).fields),
    },
  };
}

function listOutput(schema: z.ZodObject) {
  const { total, next, records } = pageFields(schema);
  return z.object({
    total,
    total_is_lower_bound: z.literal(true).optional().meta({ description: "There are more than `total`." }),
    next,
    records,
    unknown: z.array(z.string()).optional().meta({ description: "With `ids`: those that never existed." }),
    removed: z
      .array(z.object({ id: z.string(), removed_at: z.iso.datetime() }))
      .optional()
      .meta({ description: "With `ids`: those that were removed." }),
  });
}

/** The records with these ids in the requested order, and the ids without one. */
async function readIds(
  kind: ReadKind,
  records: AnyRecordKind,
  ids: string[],
  db: Db,
  toJson: (row: { id: string }) => Record<string, unknown>,
) {
  const [rows, removed] = await Promise.all([records.find(db, ids), findRemoved(db, kind, ids)]);
  const known = new Set(rows.map(({ id }) => id));
  const gone = inOrder(removed, ids).filter(({ id }) => !known.has(id));
  const isGone = new Set(gone.map(({ id }) => id));
  return {
    total: rows.length,
    next: null,
    records: inOrder(rows, ids).map(toJson),
    unknown: ids.filter((id) => !known.has(id) && !isGone.has(id)),
    removed: gone.map(({ id, removed_at }) => ({ id, removed_at: removed_at.toISOString() })),
  };
}
