import { Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import type { Request, Response } from "express";
import type { Db } from "../../db/connect.ts";
import { digestOf, encoders, entityTag } from "../../web/answers/encoding.ts";
import { sendStream } from "../../web/answers/send-stream.ts";
import type { CatalogueKind } from "../../words/kinds/kinds.ts";
import { absoluteUrl, paths } from "../../words/urls.ts";
import type { RecordLocale } from "../read/record.ts";
import type { AnyRecordKind } from "../read/record-kinds.ts";
import { listAfter } from "./dump-queries.ts";

export const DUMP_TYPE = "application/gzip";

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

/**
 * Sends all records of a kind while reading them, so that memory does not depend on their number; 304 if the client has
 * them. Each batch has the records as they are when it is sent: what changes meanwhile is listed after `since`.
 */
export async function sendDump(req: Request, res: Response, dump: SentDump): Promise<void> {
  const { kind, reader, since } = dump;
  const next = `${absoluteUrl(reader.site.baseUrl, paths.changesApi(kind))}?since=${since}`;
  res.set({
    "Cache-Control": "private, no-cache",
    ETag: entityTag(digestOf(since), "identity"),
    Link: `<${next}>; rel="next"`,
  });
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
