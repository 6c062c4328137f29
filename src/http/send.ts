import { hash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Request, Response } from "express";

const ENCODERS = {
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }) as Promise<Buffer>,
  gzip: (body: Buffer) => promisify(gzip)(body, { level: 6 }) as Promise<Buffer>,
};
type Encoding = keyof typeof ENCODERS | "identity";

/** Compressing a smaller answer saves no packet. */
const COMPRESS_FROM_BYTES = 1024;

interface Answer {
  /** Always UTF-8. */
  type: string;
  body: string;
  cacheControl: string;
  /** Request headers that the answer depends on, besides Accept-Encoding. */
  vary?: string[];
  lastModified?: Date;
}

export type Header = readonly [name: string, value: string];

export interface WholeAnswer {
  /** Those that a 304 has as well. */
  readonly headers: readonly Header[];
  readonly bodyHeaders: readonly Header[];
  readonly body: Buffer;
}

declare module "express-serve-static-core" {
  interface Response {
    /** Receives the answer as sent, if set (see remembered-answers.ts). */
    remember?: (answer: WholeAnswer) => void;
  }
}

/** Sends a body in the client's encoding, with a strong ETag for each (RFC 9110, section 8.8.3.3), or 304. */
export async function sendBody(req: Request, res: Response, answer: Answer): Promise<void> {
  const plain = Buffer.from(answer.body);
  const encoding = plain.length < COMPRESS_FROM_BYTES ? "identity" : preferredEncoding(req);
  const headers = entityHeaders(answer, plain, encoding);
  setHeaders(res, headers);
  if (req.fresh) return void res.status(304).end();
  const body = encoding === "identity" ? plain : await ENCODERS[encoding](plain);
  const bodyHeaders: Header[] = [["Content-Length", String(body.length)]];
  if (encoding !== "identity") bodyHeaders.unshift(["Content-Encoding", encoding]);
  setHeaders(res, bodyHeaders);
  res.remember?.({ headers, bodyHeaders, body });
  // Text is sent in one piece with the headers.
  res.end(encoding === "identity" ? answer.body : body);
}

export function setHeaders(res: Response, headers: readonly Header[]): void {
  for (const [name, value] of headers) res.setHeader(name, value);
}

function entityHeaders(answer: Answer, plain: Buffer, encoding: Encoding): Header[] {
  const headers: Header[] = [
    ["Vary", ["Accept-Encoding", ...(answer.vary ?? [])].join(", ")],
    ["Cache-Control", answer.cacheControl],
    ["ETag", entityTag(plain, encoding)],
    ["Content-Type", answer.type.includes(";") ? answer.type : `${answer.type}; charset=utf-8`],
  ];
  if (answer.lastModified) headers.push(["Last-Modified", answer.lastModified.toUTCString()]);
  return headers;
}

/** A strong entity tag of the content and its encoding. */
export function entityTag(content: string | Buffer, encoding: string): string {
  const digest = hash("sha256", content, "base64url").slice(0, 22);
  return encoding === "identity" ? `"${digest}"` : `"${digest}-${encoding}"`;
}

/** The encoding that the client prefers for a large body. */
export function preferredEncoding(req: Request): Encoding {
  if (req.headers["accept-encoding"] === undefined) return "identity";
  const chosen = req.acceptsEncodings(["br", "gzip", "identity"]);
  return chosen === "br" || chosen === "gzip" ? chosen : "identity";
}
