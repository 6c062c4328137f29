import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { isPublicAddress, isSameAddress } from "../../../http/public-address.ts";
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

/**
 * Fetches a text over HTTP or HTTPS, with limits for size and redirects. Rejects on any status but 200, on more than
 * MAX_BODY_BYTES unpacked, and when `signal` aborts. Always closes the connection, unlike Node's fetch: its undici 6
 * opens a new connection after an abort and keeps it for as long as the server likes.
 */
export async function download(url: string, request: DownloadRequest, signal: AbortSignal): Promise<string> {
  try {
    const response = await follow(url, request, signal);
    if (response.statusCode === 200) return await readText(response);
    response.destroy();
    throw new Miss(`answered with HTTP status ${response.statusCode}`);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

/** Whether a connection may be made to an IP address. */
type MayReach = (address: string) => boolean;

/**
 * A redirect may only lead to a public address or to the machine that sent it. The check is made on the address of
 * the connection itself, so a name that changes its address in between (DNS rebinding) gains nothing.
 */
async function follow(url: string, request: DownloadRequest, signal: AbortSignal): Promise<IncomingMessage> {
  let next = new URL(url);
  let mayReach: MayReach = () => true;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await send(next, request, mayReach, signal);
    const { statusCode = 0, headers, socket } = response;
    if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return response;
    const { remoteAddress: own = "" } = socket;
    if (redirects === 0) mayReach = (address) => isPublicAddress(address) || isSameAddress(address, own);
    response.destroy();
    next = new URL(headers.location, next);
  }
  throw new Miss(`more than ${MAX_REDIRECTS} redirects`);
}

function send(
  url: URL,
  request: DownloadRequest,
  mayReach: MayReach,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { protocol } = url;
  if (protocol !== "http:" && protocol !== "https:") {
    throw new Miss(`${protocol} is neither http: nor https:`);
  }
  // No lookup happens for a literal address.
  const literal = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(literal) !== 0 && !mayReach(literal)) throw notPublic(literal);
  const { method = "GET", body } = request;
  const ours = { accept: "application/json", "accept-encoding": "gzip", "user-agent": "Almanac" };
  // No agent, so no connection is kept: a server is asked once a minute.
  const options = {
    method,
    headers: { ...ours, ...request.headers },
    signal,
    agent: false as const,
    lookup: lookupAmong(mayReach),
  };
  return new Promise((resolve, reject) => {
    const client = protocol === "https:" ? https : http;
    client.request(url, options).on("response", resolve).on("error", reject).end(body);
  });
}

/** Connects to the looked-up address itself, without a second lookup. */
function lookupAmong(mayReach: MayReach): LookupFunction {
  return (host, { all }, callback) => {
    names.addressesOf(host).then(
      (addresses) => {
        const [first, ...others] = addresses.filter(({ address }) => mayReach(address));
        if (!first) callback(notPublic(host), []);
        else if (all) callback(null, [first, ...others]);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, []),
    );
  };
}

function notPublic(host: string): Miss {
  return new Miss(`redirected to ${host}, which is not on the Internet`);
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
