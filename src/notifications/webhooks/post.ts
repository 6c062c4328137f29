import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import https from "node:https";
import { guardedLookup, NotPublicError } from "../../web/egress/reach.ts";
import { http } from "../../web/server/node-http.ts";
import { type ReadAddress, readAddress, resolverFor, type WebhookReach } from "./address.ts";

/** From the look-up of the name to the end of the answer. */
const TIMEOUT_MS = 10_000;

/** How much of an error response is read. */
const ANSWER_BYTES = 4_096;

export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  /** JSON */
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Its beginning; empty where the message was taken. */
  readonly text: string;
}

/**
 * No answer came. `message` is one of a few words, some followed by a code: `not_public`, `not_opened`, `timeout 10`
 * (seconds), `tls CERT_HAS_EXPIRED`, `broken ECONNRESET`. The texts are `webhooks.reason.<word>`; more could tell about
 * the network.
 */
class NoAnswerError extends Error {
  override name = "NoAnswerError";
}

/**
 * Posts a message to an address that `readAddress` lets through now, whatever it did when it was stored. Follows no
 * redirect, keeps no connection, and reads a short answer at most.
 * @throws NoAnswerError
 */
export async function post(
  address: string,
  message: Message,
  reach: WebhookReach,
  timeoutMs = TIMEOUT_MS,
): Promise<Answer> {
  const signal = AbortSignal.timeout(timeoutMs);
  const read = readAddress(address, reach);
  try {
    if ("fault" in read) throw new NotPublicError(read.fault);
    return await readAnswer(await send(read, message, reach, signal));
  } catch (error) {
    const isOpenedOnly = "url" in read && read.isOpenedOnly;
    throw new NoAnswerError(signal.aborted ? `timeout ${timeoutMs / 1000}` : reasonOf(error, isOpenedOnly), {
      cause: error,
    });
  }
}

function send(
  { url, isOpenedOnly }: ReadAddress,
  { headers, body }: Message,
  reach: WebhookReach,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const allowed = isOpenedOnly ? { ...reach, isPublic: () => false } : reach;
  const client = url.protocol === "https:" ? https : http;
  const options = {
    method: "POST",
    headers: {
      ...headers,
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
    },
    agent: false as const,
    signal,
    lookup: guardedLookup(url, allowed, resolverFor(reach)),
  };
  return new Promise((resolve, reject) => {
    client.request(url, options).on("response", resolve).on("error", reject).end(body);
  });
}

/** The status is what counts: a receiver that breaks off after it has taken the message. */
async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const { statusCode: status = 0, headers } = response;
  if (status >= 200 && status < 300) {
    response.destroy();
    return { status, headers, text: "" };
  }
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      parts.push(part);
      bytes += part.length;
      if (bytes >= ANSWER_BYTES) break;
    }
  } catch {
    // What has come of the answer will do.
  }
  return { status, headers, text: Buffer.concat(parts).subarray(0, ANSWER_BYTES).toString("utf8") };
}

function reasonOf(error: unknown, isOpenedOnly: boolean): string {
  if (error instanceof NotPublicError) return isOpenedOnly ? "not_opened" : "not_public";
  const code = (error as NodeJS.ErrnoException).code ?? "unknown";
  return /CERT|TLS|SSL|SIGNATURE|SELF_SIGNED|ALTNAME/.test(code) ? `tls ${code}` : `broken ${code}`;
}
