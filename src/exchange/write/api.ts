import type { Request, Response } from "express";
import { z } from "zod";
import type { Db } from "../../db/connect.ts";
import { type Endpoint, type OwnBody, type OwnEndpoint, ownEndpoint } from "../../web/api/endpoint.ts";
import { HttpError, type ProblemName } from "../../web/pages/errors.ts";
import { id, oneOf } from "../../web/request/params.ts";
import type { Translate } from "../../words/i18n/translate.ts";
import type { GrantedScope } from "../../words/scopes.ts";
import type { ImportKind } from "../import/kinds.ts";
import { type ReadKind, readKindName } from "../read/kinds.ts";
import type { AnyRecordKind } from "../read/record-kinds.ts";
import type { Outcome } from "./answer.ts";
import { NDJSON_TYPES, readObject, readRecords } from "./bodies.ts";
import { toImport } from "./fields.ts";
import type { RecordWriter } from "./record-writer.ts";
import {
  CHANGE_HEADERS,
  PUT_HEADERS,
  readCreateOnly,
  readIfMatch,
  readRepeatable,
  WRITE_HEADERS,
} from "./request-headers.ts";
import { batchAnswer, bodySchema } from "./schemas.ts";

/** Records that a batch has at most. */
const BATCH_AT_MOST = 1_000;
const BATCH_BYTES = 5 * 1024 * 1024;
/** A record may have 64 KB of attributes, and descriptions in several languages. */
const RECORD_BYTES = 512 * 1024;

const JSON_TYPE = "application/json";
const PATCH_TYPE = "application/merge-patch+json";

/** The cost in the limits. */
const WRITE_COST = 2;
const BATCH_COST = 20;

const REQUEST_PROBLEMS = ["badInput", "forbidden", "keyReused"] as const satisfies ProblemName[];
const BODY_PROBLEMS = ["payloadTooLarge", "unsupportedMediaType"] as const satisfies ProblemName[];

const EXAMPLE_RELATION = { from: "item:knife", kind: "made-of", to: "item:iron-bar", count: 2 };

/** The writing of records that have a page: one by one, and as a batch. */
export function writeEndpoints(
  kinds: ReadonlyMap<ReadKind, AnyRecordKind>,
  writer: RecordWriter,
): Endpoint[] {
  return [...kinds].flatMap(([kind, records]) => [
    putRecord(kind, records, writer),
    patchRecord(kind, records, writer),
    removeRecord(kind, writer),
    importBatch(kind, writer),
  ]);
}

/** The writing of relations, which are known by their ends: as a batch alone. */
export function relationWriteEndpoints(writer: RecordWriter): Endpoint[] {
  return [importBatch("relations", writer)];
}

function scopeOf(kind: ImportKind): GrantedScope {
  return kind === "servers" ? "write:servers" : "write:records";
}

function ofKind(kind: ImportKind) {
  return {
    access: scopeOf(kind),
    ofKind: { kind, name: (t: Translate) => nameOf(kind, t) },
  };
}

function nameOf(kind: ImportKind, t: Translate): string {
  return kind === "relations" ? t("docs.kind.relations") : readKindName(kind, t);
}

type RecordInput = z.ZodObject<{ id: ReturnType<typeof id> }>;

function oneRecord(kind: ReadKind) {
  return {
    ...ofKind(kind),
    path: `/api/${kind}/{id}` as const,
    input: z.object({ id: id() }),
    cost: WRITE_COST,
  };
}

function putRecord(kind: ReadKind, records: AnyRecordKind, writer: RecordWriter): Endpoint {
  return ownEndpoint({
    ...oneRecord(kind),
    method: "PUT",
    operationId: "putRecord",
    body: recordBody(kind, [JSON_TYPE]),
    answers: {
      200: { meaning: "The updated record.", headers: ["ETag"], body: records.schema },
      201: { meaning: "The created record.", headers: ["ETag", "Location"], body: records.schema },
    },
    problems: [...REQUEST_PROBLEMS, ...BODY_PROBLEMS, "preconditionFailed"],
    requestHeaders: PUT_HEADERS,
    example: (read) => ({ body: toImport(kind, read).fields, json: read }),
    send: writeOne(writer, kind, "PUT"),
  });
}

function patchRecord(kind: ReadKind, records: AnyRecordKind, writer: RecordWriter): Endpoint {
  return ownEndpoint({
    ...oneRecord(kind),
    method: "PATCH",
    operationId: "patchRecord",
    body: recordBody(kind, [PATCH_TYPE, JSON_TYPE]),
    answers: { 200: { meaning: "The updated record.", headers: ["ETag"], body: records.schema } },
    problems: [...REQUEST_PROBLEMS, ...BODY_PROBLEMS, "notFound", "gone", "preconditionFailed"],
    requestHeaders: CHANGE_HEADERS,
    example: (read) => ({ body: patchExample(kind, read), json: read }),
    send: writeOne(writer, kind, "PATCH"),
  });
}

function removeRecord(kind: ReadKind, writer: RecordWriter): Endpoint {
  return ownEndpoint({
    ...oneRecord(kind),
    method: "DELETE",
    operationId: "removeRecord",
    answers: { 204: { meaning: "The record is gone." } },
    problems: [...REQUEST_PROBLEMS, "notFound", "gone", "preconditionFailed"],
    requestHeaders: CHANGE_HEADERS,
    example: () => ({}),
    send: writeOne(writer, kind, "DELETE"),
  });
}

function recordBody(kind: ReadKind, types: string[]): OwnBody {
  return { types, bytesAtMost: RECORD_BYTES, schema: bodySchema(kind) };
}

function patchExample(kind: ReadKind, read: Readonly<Record<string, unknown>>) {
  return kind === "discounts" ? { title: read.title } : { name: read.name };
}

function writeOne(
  writer: RecordWriter,
  kind: ReadKind,
  method: "PUT" | "PATCH" | "DELETE",
): OwnEndpoint<RecordInput>["send"] {
  return async ({ id }, { req, res }, { readSite }) => {
    const outcome = await writer.write({
      kind,
      method,
      id,
      ...callerOf(req, scopeOf(kind)),
      site: await readSite(),
      ...(method !== "DELETE" && { body: readObject(req.body) }),
      ifMatch: readIfMatch(req),
      createOnly: method === "PUT" && readCreateOnly(req),
    });
    send(res, outcome);
  };
}

function importBatch(kind: ImportKind, writer: RecordWriter): Endpoint {
  return ownEndpoint({
    ...ofKind(kind),
    method: "POST",
    path: `/api/${kind}`,
    operationId: "importRecords",
    input: z.object({ dry_run: oneOf(["true", "false"]).default("false") }),
    cost: BATCH_COST,
    body: {
      types: [JSON_TYPE, ...NDJSON_TYPES],
      bytesAtMost: BATCH_BYTES,
      schema: z.object({ records: z.array(bodySchema(kind)).min(1).max(BATCH_AT_MOST) }),
    },
    answers: { 200: { meaning: "What changed, or would change.", body: batchAnswer } },
    problems: [...REQUEST_PROBLEMS, ...BODY_PROBLEMS],
    requestHeaders: WRITE_HEADERS,
    example: (read) => ({
      body: { records: [kind === "relations" ? EXAMPLE_RELATION : toImport(kind, read).fields] },
      json: { dry_run: false, records: 1, added: 0, changed: 1, unchanged: 0, warnings: [] },
    }),
    send: async ({ dry_run }, { req, res }, { readSite }) => {
      const isNdjson = Boolean(req.is([...NDJSON_TYPES]));
      const isDryRun = dry_run === "true";
      const { confirmAccess, repeatable } = callerOf(req, scopeOf(kind));
      const outcome = await writer.writeBatch({
        kind,
        confirmAccess,
        repeatable: isDryRun ? undefined : repeatable,
        site: await readSite(),
        records: readRecords(req.body, isNdjson, BATCH_AT_MOST),
        isDryRun,
      });
      send(res, outcome);
    },
  });
}

/** The request's access, and its identity for a repetition. */
function callerOf(req: Request, scope: GrantedScope) {
  const keyId = req.caller.key?.id;
  if (keyId === undefined) throw new Error("a write needs a key");
  return {
    confirmAccess: (transaction: Db) => req.confirmAccess(transaction, scope),
    repeatable: readRepeatable(req, keyId),
  };
}

function send(res: Response, outcome: Outcome): void {
  if (outcome instanceof HttpError) throw outcome;
  const { status, headers, json } = outcome;
  res.status(status).set(headers).set("Cache-Control", "no-store");
  if (json === undefined) res.end();
  else res.json(json);
}
