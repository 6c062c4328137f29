import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { type EgressPolicy, guardedLookup, NotPublicError } from "../../../web/egress/policy.ts";
import { Miss } from "../adapter.ts";
import { names } from "./names.ts";

/** Limit of a body, after decompression. */
const MAX_BODY_BYTES = 5 * 1024 * 1024;
const MAX_REDIRECTS = 3;

export interface DownloadRequest {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** What bounds a download. */
export interface Bounds {
  readonly signal: AbortSignal;
  readonly egress: EgressPolicy;
}

/**
 * Fetches a text over HTTP or HTTPS, with limits for size and redirects. Rejects on any status but 200, on more than
 * MAX_BODY_BYTES unpacked, and when `signal` aborts. Always closes the connection, unlike Node's fetch: its undici 6
 * opens a new connection after an abort and keeps it until the server closes it.
 */
export async function download(url: string, request: DownloadRequest, bounds: Bounds): Promise<string> {
  try {
    const response = await follow(url, request, bounds);
    if (response.statusCode === 200) return await readText(response);
    response.destroy();
    throw new Miss(`answered with HTTP status ${response.statusCode}`);
  } catch (error) {
    throw bounds.signal.aborted ? bounds.signal.reason : error;
  }
}

/** An object, so that tests can replace the downloads of public lists. */
export const web = { download };

/** Checks every redirect against the same policy as the first address. */
async function follow(url: string, request: DownloadRequest, bounds: Bounds): Promise<IncomingMessage> {
  let next = new URL(url);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await send(next, request, bounds).catch((error: unknown) => {
      // The server in the record has answered, so a forbidden redirect is its fault.
      if (redirects > 0 && error instanceof NotPublicError) throw new Miss(`redirected: ${error.message}`);
      throw error;
    });
    const { statusCode = 0, headers } = response;
    if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return response;
    response.destroy();
    next = new URL(headers.location, next);
  }
  throw new Miss(`more than ${MAX_REDIRECTS} redirects`);
}

async function send(
  url: URL,
  request: DownloadRequest,
  { signal, egress }: Bounds,
): Promise<IncomingMessage> {
  const { protocol } = url;
  if (protocol !== "http:" && protocol !== "https:") {
    throw new Miss(`${protocol} is neither http: nor https:`);
  }
  const { method = "GET", body } = request;
  const ours = { accept: "application/json", "accept-encoding": "gzip", "user-agent": "Almanac" };
  // Uses no agent and keeps no connection, because a server is polled once a minute.
  const options = {
    method,
    headers: { ...ours, ...request.headers },
    signal,
    agent: false as const,
    lookup: guardedLookup(url, egress, (host) => names.addressesOf(host)),
  };
  return new Promise((resolve, reject) => {
    const client = protocol === "https:" ? https : http;
    client.request(url, options).on("response", resolve).on("error", reject).end(body);
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  // Leaving the loop early destroys the stream, and the connection with it.
  for await (const chunk of unpack(response) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Miss(`the body is larger than ${MAX_BODY_BYTES} bytes`);
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  return parts.join("") + decoder.decode();
}

function unpack(response: IncomingMessage): Readable {
  const { "content-encoding": encoding = "identity" } = response.headers;
  if (encoding === "identity") return response;
  if (encoding === "gzip") return pipeline(response, createGunzip(), () => undefined);
  response.destroy();
  throw new Miss(`the body is encoded as ${encoding}, which was not asked for`);
}
