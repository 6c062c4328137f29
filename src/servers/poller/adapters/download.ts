import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { Miss } from "./miss.ts";
import { names } from "./names.ts";
import { isPublicAddress, isSameAddress } from "./private-addresses.ts";

/** The most that is read of a body, after decompression. */
const MAX_BODY_BYTES = 5 * 1024 * 1024;
const MAX_REDIRECTS = 3;

export interface DownloadRequest {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/**
 * Fetches a text over HTTP or HTTPS: bounded in size and redirects, in time by `signal`. Rejects on any status but
 * 200, on more than MAX_BODY_BYTES (unpacked: a small body can unpack to any size) and when `signal` aborts.
 * The connection is closed in every case. Node's fetch cannot promise that: its undici 6 opens a new connection to
 * the same server after a request was aborted, and keeps it for as long as the server likes.
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
 * A redirect is a stranger's word: it leads to the Internet, or stays on the machine that it came from. What counts is
 * the address that a connection is made to, so that a name which resolves to another one a moment later gains nothing.
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
  // No name is looked up for these.
  const literal = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(literal) !== 0 && !mayReach(literal)) throw notPublic(literal);
  const { method = "GET", body } = request;
  const ours = { accept: "application/json", "accept-encoding": "gzip", "user-agent": "Almanac" };
  // Without an agent, a connection serves one request: a server is asked once a minute.
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

/** What is found is what is connected to: nothing is looked up again in between. */
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
