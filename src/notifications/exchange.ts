import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from "node:http";
import https from "node:https";
import { http } from "../web/server/node-http.ts";

/** How much of an error response is read. */
const ANSWER_BYTES = 4_096;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Its beginning; empty if the message was accepted. */
  readonly text: string;
}

/** The options of a request to a receiver; `lookup` decides where it may connect. */
type Request = Required<Pick<RequestOptions, "headers" | "lookup" | "signal" | "agent">> & {
  readonly body: string | Buffer | null;
};

/**
 * Posts a message. Follows no redirect, and reads a short response at most. The status counts, even if the connection
 * breaks after it.
 */
export async function postTo(url: URL, { body, ...options }: Request): Promise<Answer> {
  const client = url.protocol === "https:" ? https : http;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = client.request(url, { method: "POST", ...options });
    // A switch to another protocol (101) ends in neither a response nor an error.
    const fail = () => reject(new Error("the connection was closed without an answer"));
    request.on("response", resolve).on("error", reject).on("close", fail).end(body);
  });
  const { statusCode: status = 0, headers } = response;
  if (status < 200 || status >= 300) return { status, headers, text: await readBeginning(response) };
  // Accepted, even if the rest fails. An agent keeps the connection once the rest has arrived.
  if (options.agent) response.on("error", () => undefined).resume();
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
