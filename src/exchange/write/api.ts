import { createHash } from "node:crypto";
import type { Request, Response } from "express";
import { z } from "zod";
import type { Db } from "../../db/connect.ts";
import { Refusal, readId } from "../../records/values.ts";
import {
  type Endpoint,
  type OwnBody,
  type OwnEndpoint,
  ownEndpoint,
  type RequestHeader,
} from "../../web/api/endpoint.ts";
import { badInput, HttpError, type ProblemName } from "../../web/pages/errors.ts";
import { readJson, readText, wrongBody } from "../../web/request/input.ts";
import { id, oneOf } from "../../web/request/params.ts";
import { actorOf } from "../../web/session/actor.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { isCatalogueKind } from "../../words/kinds/kinds.ts";
import type { GrantedScope } from "../../words/scopes.ts";
import { isObject } from "../../words/text/json.ts";
import { toNfc } from "../../words/text/nfc.ts";
import type { ImportKind } from "../import/kinds.ts";
import type { ReadKind } from "../read/kinds.ts";
import type { AnyRecordKind } from "../read/record-kinds.ts";
import type { Outcome } from "./answer.ts";
import type { Repeatable } from "./answer-queries.ts";
import { toImport } from "./fields.ts";
import type { RecordWriter } from "./record-writer.ts";
import { batchAnswer, bodySchema } from "./schemas.ts";

const NAME_LENGTH = 255;
const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;
/** 1 to 255 visible characters, quoted as in the draft, or unquoted as most clients send it. */
const NAME = /^(?:"[!-~]{1,255}"|[!#-~][!-~]{0,254})$/;

type RequestHeaders = Readonly<Record<string, RequestHeader>>;

/** The request headers of all writes. */
const WRITE_HEADERS: RequestHeaders = {
  "Idempotency-Key": {
    meaning:
      "A unique key for this write, 1 to 255 visible ASCII characters. A repeat within 24 hours gets the first response and changes nothing.",
    pattern: NAME,
  },
};

/** The request headers of writes that change or remove a record. */
const CHANGE_HEADERS: RequestHeaders = {
  ...WRITE_HEADERS,
  "If-Match": {
    meaning: "Only if the record still has this entity tag, or exists at all (`*`).",
    pattern: /^(?:\*|[ ,]*(?:(?:W\/)?"[!#-~\u0080-\u00ff]*"[ ,]*)+)$/,
  },
};

/** The request headers of writes that may also create a record. */
const PUT_HEADERS: RequestHeaders = {
  ...CHANGE_HEADERS,
  "If-None-Match": { meaning: "`*`: only if the record does not exist yet.", pattern: /^\*$/ },
};

/** Media types of a batch in addition to JSON. */
const NDJSON_TYPES = ["application/x-ndjson", "application/ndjson"] as const;

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

type RecordInput = z.ZodObject<{ id: ReturnType<typeof id> }>;

function oneRecord(kind: ReadKind) {
  return {
    access: scopeOf(kind),
    ofKind: kind,
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
    problems: [...REQUEST_PROBLEMS, ...BODY_PROBLEMS, "conflict", "preconditionFailed"],
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
    problems: [...REQUEST_PROBLEMS, ...BODY_PROBLEMS, ...absenceOf(kind), "preconditionFailed"],
    requestHeaders: CHANGE_HEADERS,
    example: (read) => ({ body: patchExample(kind, read), json: read }),
    send: writeOne(writer, kind, "PATCH"),
  });
}

function removeRecord(kind: ReadKind, writer: RecordWriter): Endpoint {
  return ownEndpoint({
    ...oneRecord(kind),
    method: "DELETE",
    operationId: isCatalogueKind(kind) ? "removeRecord" : "deleteRecord",
    answers: { 204: { meaning: "The record is gone." } },
    problems: [...REQUEST_PROBLEMS, ...absenceOf(kind), "preconditionFailed"],
    requestHeaders: CHANGE_HEADERS,
    example: () => ({}),
    send: writeOne(writer, kind, "DELETE"),
  });
}

/** How a write reports that there is no record: only entries leave a tombstone. */
function absenceOf(kind: ReadKind): ProblemName[] {
  return isCatalogueKind(kind) ? ["notFound", "gone"] : ["notFound"];
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
      id: asImported(id),
      ...callerOf(req, scopeOf(kind)),
      site: await readSite(),
      ...(method !== "DELETE" && { body: readObject(req.body) }),
      ifMatch: readIfMatch(req),
      createOnly: method === "PUT" && readCreateOnly(req),
    });
    send(res, outcome);
  };
}

/** The id in a path, read as an import reads it. @throws HttpError 400 */
function asImported(id: string): string {
  const read = readId(id);
  if (read instanceof Refusal) throw badInput([{ param: "id", message: read.reason }]);
  return read;
}

function importBatch(kind: ImportKind, writer: RecordWriter): Endpoint {
  return ownEndpoint({
    access: scopeOf(kind),
    ofKind: kind,
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
      const { by, confirmAccess, repeatable } = callerOf(req, scopeOf(kind));
      const outcome = await writer.writeBatch({
        kind,
        by,
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
    by: actorOf(req),
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

/** Parses `If-Match` (RFC 9110, section 13.1.1); undefined without it. @throws HttpError 400 */
function readIfMatch(req: Request): readonly string[] | "*" | undefined {
  const sent = req.get("if-match");
  if (sent === undefined) return undefined;
  if (sent.trim() === "*") return "*";
  const tags = sent.match(ENTITY_TAG) ?? [];
  const rest = sent.replaceAll(ENTITY_TAG, "").replaceAll(",", "").trim();
  if (tags.length === 0 || rest !== "")
    throw badInput([{ param: "If-Match", message: lazyText("input.entity_tags") }]);
  // A weak tag never matches here.
  return tags;
}

/** True if the write may only create a record. Writes accept only `*` in `If-None-Match`. @throws HttpError 400 */
function readCreateOnly(req: Request): boolean {
  const sent = req.get("if-none-match");
  if (sent === undefined) return false;
  if (sent.trim() === "*") return true;
  throw badInput([{ param: "If-None-Match", message: lazyText("input.only_star") }]);
}

/**
 * Reads what identifies a repeated request; undefined without `Idempotency-Key`
 * (draft-ietf-httpapi-idempotency-key-header).
 * @throws HttpError 400
 */
function readRepeatable(req: Request, keyId: number): Repeatable | undefined {
  const sent = req.get("idempotency-key");
  if (sent === undefined) return undefined;
  const given = sent.trim();
  if (!NAME.test(given)) {
    const message = lazyText("input.visible_ascii", { max: NAME_LENGTH });
    throw badInput([{ param: "Idempotency-Key", message }]);
  }
  const name = given.startsWith('"') ? given.slice(1, -1) : given;
  return { keyId, name, request: hashOf(req) };
}

/** Hashes a write without its API key, which a repeat may send in another place. */
function hashOf(req: Request): Buffer {
  const { method, body } = req;
  const conditions = [req.get("if-match") ?? "", req.get("if-none-match") ?? ""];
  const hash = createHash("sha256").update(JSON.stringify([method, req.baseUrl + req.path, ...conditions]));
  if (Buffer.isBuffer(body)) hash.update(body);
  return hash.digest();
}

/** A body that must be one JSON object. @throws HttpError 400 */
export function readObject(bytes: Buffer | undefined): Readonly<Record<string, unknown>> {
  const body = toNfc(readJson(readText(bytes), "body"));
  if (!isObject(body)) throw wrongBody("body", lazyText("input.json_object"));
  return body;
}

/** The records of a batch: `{ "records": […] }`, or one a line. @throws HttpError 400 */
function readRecords(bytes: Buffer | undefined, isNdjson: boolean, most: number): readonly unknown[] {
  const text = readText(bytes);
  const records = isNdjson ? readLines(text) : listIn(readJson(text, "body"));
  if (!records || records.length === 0 || records.length > most)
    throw wrongBody("body", lazyText("input.record_list", { max: most }));
  return records.map(toNfc);
}

function listIn(body: unknown): readonly unknown[] | undefined {
  return isObject(body) && Array.isArray(body.records) ? body.records : undefined;
}

function readLines(text: string): unknown[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line, index) => readJson(line, `records[${index}]`));
}
