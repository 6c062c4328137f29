import { hash } from "node:crypto";
import { Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import type { Request, Response } from "express";
import { z } from "zod";
import type { Db } from "../../db/connect.ts";
import { computeDigest, encoders, entityTag } from "../../web/answers/encoding.ts";
import { sendStream } from "../../web/answers/send-stream.ts";
import { type Endpoint, NOT_MODIFIED, ownEndpoint, readEndpoint, SUCCESS } from "../../web/api/endpoint.ts";
import { badInput, HttpError } from "../../web/pages/errors.ts";
import { pastTime, text, wholeNumber } from "../../web/request/params.ts";
import { type Admission, admitFew } from "../../web/server/admission.ts";
import { lazyText, zodMessage } from "../../words/i18n/lazy-text.ts";
import { type CatalogueKind, catalogueKinds } from "../../words/kinds/kinds.ts";
import { absoluteUrl, paths } from "../../words/urls.ts";
import type { RecordLocale } from "../read/record.ts";
import type { AnyRecordKind, recordKinds } from "../read/record-kinds.ts";
import { findEnd, listAfter, listChanges, versionSince } from "./changes-queries.ts";
import { CURSOR_PATTERN, type Cursor, readCursor } from "./cursor.ts";

const DUMP_TYPE = "application/gzip";

/** Records read by one query and written in one turn: a few milliseconds, during which other requests wait. */
const BATCH = 200;

interface SentDump {
  readonly kind: CatalogueKind;
  readonly records: AnyRecordKind;
  readonly reader: RecordLocale;
  /** Where changes go on from. It was read before the first record. */
  readonly since: string;
  /** No snapshot: a slow client must not hold a connection. */
  readonly db: Db;
}

/** Increased whenever the API writes the same row of the catalogue in another way. */
const FORMAT = 1;

/** Either is needed: see `api.ts`. */
const changesInput = z.object({
  since: text(1, 40)
    .regex(CURSOR_PATTERN, zodMessage("input.since"))
    .optional()
    .meta({ example: "1024", override: { type: "string", maxLength: 40, pattern: CURSOR_PATTERN.source } }),
  updated_since: pastTime().optional(),
  limit: wholeNumber(1, 1000).default(200),
});

/** Calls that a dump counts as: it may be a hundred megabytes. */
const DUMP_COST = 10;

/** What a copy of a kind elsewhere lives on: a file to start with, and what changed since. */
export function mirrorEndpoints(records: ReturnType<typeof recordKinds>): Endpoint[] {
  const admit = admitFew();
  const outputs = new Map<z.ZodType, ReturnType<typeof changesOutput>>();
  return catalogueKinds().flatMap((kind) => {
    const ofKind = records.get(kind);
    if (!ofKind) return [];
    // One for all kinds with the same records, so that the document describes it once.
    const output = outputs.get(ofKind.schema) ?? changesOutput(ofKind.schema);
    outputs.set(ofKind.schema, output);
    return [changesOf(kind, ofKind, output), dumpOf(kind, ofKind, admit)];
  });
}

function changesOf(
  kind: CatalogueKind,
  records: AnyRecordKind,
  output: ReturnType<typeof changesOutput>,
): Endpoint {
  return readEndpoint({
    access: "session-or-key",
    ofKind: kind,
    path: paths.changesApi(kind),
    operationId: "listChanges",
    input: changesInput,
    output,
    problems: ["gone"],
    cache: { dependsOn: records.dependsOn },
    handle: async ({ limit, ...since }, { snapshot, readSite, baseUrl }) => {
      const reader = { site: await readSite() };
      const db = await snapshot();
      const after = await afterWhich(db, kind, since);
      const page = after && (await listChanges(db, kind, { after, limit, shape: shapeOf(kind, reader) }));
      if (!page) throw startAgain(kind, baseUrl);
      const rows =
        page.changes.length > 0
          ? await records.find(
              db,
              page.changes.map(({ id }) => id),
            )
          : [];
      const found = new Map(rows.map((row) => [row.id, row]));
      const changes = page.changes.map(({ version, id, at }) => {
        const row = found.get(id);
        return {
          version,
          id,
          change: row ? ("changed" as const) : ("removed" as const),
          at: at.toISOString(),
          record: row ? records.toJson(row, reader) : null,
        };
      });
      return { changes, next: page.next, complete: page.complete };
    },
  });
}

/** Undefined: so long ago is not known any more. */
async function afterWhich(
  db: Db,
  kind: CatalogueKind,
  { since, updated_since }: { since?: string | undefined; updated_since?: Date | undefined },
): Promise<Cursor | undefined> {
  if ((since === undefined) === (updated_since === undefined)) {
    throw badInput([{ param: "since", message: lazyText("input.either", { other: "updated_since" }) }]);
  }
  if (since !== undefined) return readCursor(since);
  const version = updated_since && (await versionSince(db, kind, updated_since));
  return version === undefined ? undefined : readCursor(`${version}`);
}

/** 410 for changes that are not known any more. */
function startAgain(kind: CatalogueKind, baseUrl: string): HttpError {
  const dump = absoluteUrl(baseUrl, paths.dump(kind));
  return new HttpError("gone", lazyText("errors.detail.changes_forgotten", { dump }), {
    headers: { Link: `<${dump}>; rel="start"` },
  });
}

function dumpOf(kind: CatalogueKind, records: AnyRecordKind, admit: Admission): Endpoint {
  return ownEndpoint({
    access: "session-or-key",
    ofKind: kind,
    method: "GET",
    path: paths.dump(kind),
    operationId: "getDump",
    cost: DUMP_COST,
    input: z.object({}),
    answers: {
      200: { meaning: SUCCESS, headers: ["Link"], body: DUMP_TYPE },
      304: { meaning: NOT_MODIFIED, headers: ["Link"] },
    },
    problems: [],
    send: async (_input, { req, res }, { db, readSite }) => {
      const reader = { site: await readSite() };
      const since = await findEnd(db, kind, shapeOf(kind, reader));
      const send = admit(() => sendDump(req, res, { kind, records, reader, since, db }));
      await send(req, res, () => undefined);
    },
  });
}

/**
 * Sends all records of a kind while reading them, so that memory does not depend on their number; 304 if the client has
 * them. Each batch has the records as they are when it is sent: what changes meanwhile is listed after `since`.
 */
async function sendDump(req: Request, res: Response, dump: SentDump): Promise<void> {
  const { kind, reader, since } = dump;
  const next = `${absoluteUrl(reader.site.baseUrl, paths.changesApi(kind))}?since=${since}`;
  res.set({
    "Cache-Control": "private, no-cache",
    ETag: entityTag(computeDigest(since), "identity"),
    Link: `<${next}>; rel="next"`,
  });
  res.vary("X-API-Key").vary("Cookie");
  if (req.fresh) return void res.status(304).end();
  res.attachment(`${kind}.ndjson.gz`).type(DUMP_TYPE);
  if (req.method === "HEAD") return void res.end();
  // One batch is read ahead.
  const lines = Readable.from(readLines(dump), { highWaterMark: 1 });
  await sendStream(req, res, [lines, ...encoders("gzip")], "A dump broke off");
}

async function* readLines({ kind, records, reader, db }: SentDump): AsyncGenerator<string> {
  for (let last: string | undefined = ""; last !== undefined; ) {
    const rows: { id: string }[] = await listAfter(db, kind, last, BATCH);
    yield rows.map((row) => `${JSON.stringify(records.toJson(row, reader))}\n`).join("");
    last = rows.length < BATCH ? undefined : rows.at(-1)?.id;
    await turn();
  }
}

/**
 * The shape of a kind's records beyond their rows: where addresses lead and which attributes are hidden. A change of
 * it lists no record, so clients that follow changes have to start again.
 */
function shapeOf(kind: CatalogueKind, { site }: RecordLocale): string {
  const words = site.vocabulary.of(kind);
  const hidden = words.keys().filter((key) => words.isHidden(key));
  return hash("sha256", JSON.stringify([FORMAT, site.baseUrl, hidden.toSorted()]), "hex").slice(0, 32);
}

/** @param record the schema of a record of the kind */
function changesOutput(record: z.ZodType) {
  const change = z
    .object({
      version: z.int().meta({ description: "Of the kind; it grows with every change." }),
      id: z.string(),
      change: z.enum(["changed", "removed"]).meta({ description: "changed: added or updated." }),
      at: z.iso.datetime().meta({ description: "When it was written." }),
      record: record.nullable().meta({ description: "The whole record as it is now; null if it is gone." }),
    })
    .meta({ id: "RecordChange" });
  return z.object({
    changes: z.array(change).meta({ description: "In the order in which they took effect." }),
    next: z.string().meta({ description: "Where to go on: send it as `since`." }),
    complete: z
      .boolean()
      .meta({ description: "true: these are all, and a copy is now as the site is; false: ask again." }),
  });
}
