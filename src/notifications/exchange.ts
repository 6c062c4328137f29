import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { type GuardedRequest, sendRequest } from "../web/egress/download.ts";

/** How much of an error response is read. */
const ANSWER_BYTES = 4_096;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Its beginning; empty if the message was accepted. */
  readonly text: string;
}

/**
 * Posts a message. Follows no redirect, and reads a short response at most. The status counts, even if the connection
 * breaks after it.
 */
export async function postTo(url: URL, request: GuardedRequest): Promise<Answer> {
  const response = await sendRequest(url, { method: "POST", ...request });
  const { statusCode: status = 0, headers } = response;
  if (status < 200 || status >= 300) return { status, headers, text: await readBeginning(response) };
  // Accepted, even if the rest fails. An agent keeps the connection once the rest has arrived.
  if (request.agent) response.on("error", () => undefined).resume();
  else response.destroy();
  return { status, headers, text: "" };
}

async function readBeginning(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      parts.push(part);
      bytes += part.length;
      if (bytes >= ANSWER_BYTES) break;
    }
  } catch {
    // The part of the response that has arrived is enough.
  }
  return Buffer.concat(parts).subarray(0, ANSWER_BYTES).toString("utf8");
}
