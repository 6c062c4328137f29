import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Request, Response } from "express";

const ENCODERS = {
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }) as Promise<Buffer>,
  gzip: (body: Buffer) => promisify(gzip)(body, { level: 6 }) as Promise<Buffer>,
  identity: async (body: Buffer) => body,
};

/** Below this a compressed answer saves no packet. */
const COMPRESS_FROM_BYTES = 1024;

interface Answer {
  type: string;
  body: string;
  cacheControl: string;
  /** Request headers, beside Accept-Encoding, that the answer depends on. */
  vary?: string[];
  lastModified?: Date;
}

/**
 * Sends a whole body, compressed as the client likes it, with a strong ETag of its own for each encoding
 * (RFC 9110, section 8.8.3.3); answers 304 when the client has it already.
 */
export async function sendBody(req: Request, res: Response, answer: Answer): Promise<void> {
  const body = Buffer.from(answer.body);
  const encoding = chooseEncoding(req, body.length);
  res.vary(["Accept-Encoding", ...(answer.vary ?? [])].join(", "));
  res.set("Cache-Control", answer.cacheControl);
  res.set("ETag", entityTag(answer.body, encoding));
  if (answer.lastModified) res.set("Last-Modified", answer.lastModified.toUTCString());
  res.type(answer.type);
  if (req.fresh) {
    res.status(304).end();
    return;
  }
  if (encoding !== "identity") res.set("Content-Encoding", encoding);
  res.send(await ENCODERS[encoding](body));
}

/** A strong entity tag of the content and its encoding. */
export function entityTag(content: string, encoding: string): string {
  const digest = createHash("sha256").update(content).digest("base64url").slice(0, 22);
  return encoding === "identity" ? `"${digest}"` : `"${digest}-${encoding}"`;
}

/** The encoding that the client prefers of those we make; small bodies stay as they are. */
function chooseEncoding(req: Request, bytes: number): keyof typeof ENCODERS {
  if (bytes < COMPRESS_FROM_BYTES) return "identity";
  const chosen = req.acceptsEncodings(["br", "gzip", "identity"]);
  return chosen === "br" || chosen === "gzip" ? chosen : "identity";
}
