import { promises as dns } from "node:dns";
import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from "node:http";
import https from "node:https";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { http } from "../server/node-http.ts";
import { type EgressPolicy, guardedLookup, NotPublicError, type Resolve } from "./policy.ts";

export interface DownloadRequest {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

export interface Bounds {
  readonly signal: AbortSignal;
  readonly egress: EgressPolicy;
  /** The system's look-up, unless given. */
  readonly resolve?: Resolve;
  /** Limit of a body, after decompression. */
  readonly bytesAtMost: number;
  readonly redirectsAtMost: number;
}

/** A response that is refused. `reason` is a word, as in `reasonText` of webhooks, or `too_large`. */
export class DownloadError extends Error {
  override name = "DownloadError";
  readonly reason: string;
  constructor(reason: string, message = reason) {
    super(message);
    this.reason = reason;
  }
}

/** True for an http(s) address without a user name or password. */
export function isFetchable(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}

/**
 * Fetches a body over HTTP or HTTPS; without status 200 it is empty. Rejects with the reason of `signal` when it aborts.
 * Always closes the connection, unlike Node's fetch: its undici 6 opens a new connection after an abort and keeps it until
 * the server closes it.
 */
export async function download(
  url: string,
  request: DownloadRequest,
  bounds: Bounds,
): Promise<{ status: number; headers: IncomingHttpHeaders; bytes: Buffer }> {
  try {
    const response = await follow(url, request, bounds);
    const { statusCode: status = 0, headers } = response;
    if (status === 200) return { status, headers, bytes: await readBytes(response, bounds) };
    response.destroy();
    return { status, headers, bytes: Buffer.alloc(0) };
  } catch (error) {
    throw bounds.signal.aborted ? bounds.signal.reason : error;
  }
}

/** Checks every redirect against the same policy as the first address. */
async function follow(url: string, request: DownloadRequest, bounds: Bounds): Promise<IncomingMessage> {
  let next = new URL(url);
  for (let redirects = 0; redirects <= bounds.redirectsAtMost; redirects++) {
    const response = await send(next, request, bounds).catch((error: unknown) => {
      // The first server has answered, so a forbidden redirect is its fault.
      if (redirects > 0 && error instanceof NotPublicError)
        throw new DownloadError("not_public", `redirected: ${error.message}`);
      throw error;
    });
    const { statusCode = 0, headers } = response;
    if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return response;
    response.destroy();
    const target = URL.parse(headers.location, next.href);
    if (!target) throw new DownloadError(`status ${statusCode}`, "redirected to no address");
    next = target;
  }
  throw new DownloadError("status 302", `more than ${bounds.redirectsAtMost} redirects`);
}

async function send(
  url: URL,
  request: DownloadRequest,
  { signal, egress, resolve = (host) => dns.lookup(host, { all: true }) }: Bounds,
): Promise<IncomingMessage> {
  const { protocol } = url;
  if (protocol !== "http:" && protocol !== "https:")
    throw new DownloadError("not_public", `${protocol} is neither http: nor https:`);
  const { method = "GET", body } = request;
  const ours = { accept: "application/json", "accept-encoding": "gzip", "user-agent": "Almanac" };
  return sendRequest(url, {
    method,
    headers: { ...ours, ...request.headers },
    body,
    signal,
    // Keeps no connection, because each address is fetched once a minute at most.
    agent: false,
    lookup: guardedLookup(url, egress, resolve),
  });
}

/** What a request to somebody else's server needs; `lookup` decides where it may connect. */
export type GuardedRequest = Required<Pick<RequestOptions, "headers" | "lookup" | "signal" | "agent">> & {
  readonly body: string | Buffer | null | undefined;
};

/** Sends a request, and resolves once the head of the response is there. Follows no redirect. */
export function sendRequest(
  url: URL,
  { body, ...options }: GuardedRequest & { readonly method: string },
): Promise<IncomingMessage> {
  const client = url.protocol === "https:" ? https : http;
  return new Promise((resolve, reject) => {
    // A switch to another protocol (101) ends in neither a response nor an error.
    const fail = () => reject(new Error("the connection was closed without an answer"));
    client.request(url, options).on("response", resolve).on("error", reject).on("close", fail).end(body);
  });
}

async function readBytes(response: IncomingMessage, { bytesAtMost }: Bounds): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop early destroys the stream, and the connection with it.
  for await (const chunk of unpack(response) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesAtMost)
      throw new DownloadError("too_large", `the body is larger than ${bytesAtMost} bytes`);
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

function unpack(response: IncomingMessage): Readable {
  const { "content-encoding": encoding = "identity" } = response.headers;
  if (encoding === "identity") return response;
  if (encoding === "gzip") return pipeline(response, createGunzip(), () => undefined);
  response.destroy();
  throw new DownloadError(
    "broken content-encoding",
    `the body is encoded as ${encoding}, which was not asked for`,
  );
}
