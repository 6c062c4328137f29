import { Readable } from "node:stream";
import type { Request, Response } from "express";
import type { Db } from "../db/connect.ts";
import { HttpError } from "../http/errors.ts";
import { sendStream } from "../http/send-stream.ts";
import { said } from "../i18n/said.ts";
import type { CatalogueKind } from "../kinds/kinds.ts";
import { type Dump, readDump } from "./dump-queries.ts";

export const DUMP_TYPE = "application/gzip";

interface SentDump {
  readonly kind: CatalogueKind;
  readonly dump: Dump;
  /** The address of the changes since it was made. */
  readonly next: string;
  /** No snapshot: a slow client must not hold a connection. */
  readonly db: Db;
}

/**
 * Sends a dump, or the part of it that the client asks for (RFC 9110, section 14), with its digest (RFC 9530); 304 where
 * the client has it. Memory does not depend on its size.
 * @throws HttpError 416 for a part that is not there
 */
export async function sendDump(
  req: Request,
  res: Response,
  { kind, dump, next, db }: SentDump,
): Promise<void> {
  const digest = `sha-256=:${dump.sha256.toString("base64")}:`;
  res.set({
    "Accept-Ranges": "bytes",
    "Cache-Control": "private, no-cache",
    ETag: `"${dump.sha256.toString("base64url").slice(0, 22)}"`,
    "Last-Modified": dump.made_at.toUTCString(),
    Link: `<${next}>; rel="next"`,
    "Repr-Digest": digest,
  });
  if (req.fresh) return void res.status(304).end();
  res.attachment(`${kind}.ndjson.gz`).type(DUMP_TYPE);
  const range = askedRange(req, res, dump);
  const { start, end } = range ?? { start: 0, end: dump.bytes };
  if (range) res.status(206).set("Content-Range", `bytes ${start}-${end - 1}/${dump.bytes}`);
  else res.set("Content-Digest", digest);
  res.set("Content-Length", `${end - start}`);
  if (req.method === "HEAD") {
    // It would be that of no content.
    res.removeHeader("Content-Digest");
    return void res.end();
  }
  // One piece is read ahead.
  const pieces = Readable.from(readDump(db, dump, { start, end }), { highWaterMark: 1 });
  await sendStream(req, res, [pieces], "A dump broke off");
}

/** The one part that a client asks for, if it still has the rest of this file; `end` is the first byte after it. */
function askedRange(
  req: Request,
  res: Response,
  { bytes }: Dump,
): { start: number; end: number } | undefined {
  const condition = req.get("if-range");
  if (req.method !== "GET" || (condition !== undefined && condition !== res.get("ETag"))) return undefined;
  const ranges = req.range(bytes);
  if (ranges === -1) {
    throw new HttpError("rangeNotSatisfiable", said("errors.detail.range", { bytes }), {
      headers: { "Content-Range": `bytes */${bytes}` },
    });
  }
  if (!Array.isArray(ranges) || ranges.type !== "bytes" || ranges.length !== 1) return undefined;
  const [range] = ranges;
  return range && { start: range.start, end: range.end + 1 };
}
