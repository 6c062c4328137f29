import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import accepts from "accepts";
import type { Header } from "../server/headers.ts";

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const ENCODERS = {
  br: (body: Buffer) => promisify(brotliCompress)(body, BROTLI) as Promise<Buffer>,
  gzip: (body: Buffer) => promisify(gzip)(body, { level: 6 }) as Promise<Buffer>,
};
export type Encoding = keyof typeof ENCODERS | "identity";

/** Compressing a smaller response saves no packet. */
const COMPRESS_FROM_BYTES = 1024;

export function isWorthCompressing(plain: Buffer): boolean {
  return plain.length >= COMPRESS_FROM_BYTES;
}

/** Encodes a body; a small one stays as it is. */
export async function compress(
  plain: Buffer,
  wanted: Encoding,
): Promise<{ encoding: Encoding; body: Buffer }> {
  if (wanted === "identity" || !isWorthCompressing(plain)) return { encoding: "identity", body: plain };
  return { encoding: wanted, body: await ENCODERS[wanted](plain) };
}

/** The streams that encode a streamed body. */
export function encoders(encoding: Encoding): Transform[] {
  if (encoding === "identity") return [];
  return [encoding === "br" ? createBrotliCompress(BROTLI) : createGzip({ level: 6 })];
}

export function bodyHeaders(body: Buffer, encoding: Encoding): Header[] {
  const length: Header = ["Content-Length", String(body.length)];
  return encoding === "identity" ? [length] : [["Content-Encoding", encoding], length];
}

/** The part of an entity tag that all encodings of a content share. */
export function computeDigest(content: string | Buffer): string {
  return hash("sha256", content, "base64url").slice(0, 22);
}

/** A strong entity tag, different for each encoding (RFC 9110, section 8.8.3.3). */
export function entityTag(digest: string, encoding: string): string {
  return encoding === "identity" ? `"${digest}"` : `"${digest}-${encoding}"`;
}

/** The encoding that the client prefers for a large body. */
export function preferredEncoding(req: IncomingMessage): Encoding {
  if (req.headers["accept-encoding"] === undefined) return "identity";
  const chosen = accepts(req).encodings(["br", "gzip", "identity"]);
  return chosen === "br" || chosen === "gzip" ? chosen : "identity";
}
