import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from "node:http";
import https from "node:https";
import { http } from "../web/server/node-http.ts";

/** How much of an error response is read. */
const ANSWER_BYTES = 4_096;

/** A receiver's answer. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Its beginning; empty where the message was taken. */
  readonly text: string;
}

/** What a request to a receiver needs; `lookup` decides where it may connect. */
type Request = Required<Pick<RequestOptions, "headers" | "lookup" | "signal" | "agent">> & {
  readonly body: string | Buffer | null;
};

/** Posts a message. Follows no redirect, and reads a short answer at most. The status counts, even if the rest breaks off. */
export async function postTo(url: URL, { body, ...options }: Request): Promise<Answer> {
  const client = url.protocol === "https:" ? https : http;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = client.request(url, { method: "POST", ...options });
    request.on("response", resolve).on("error", reject).end(body);
  });
  const { statusCode: status = 0, headers } = response;
  if (status < 200 || status >= 300) return { status, headers, text: await readBeginning(response) };
  // Accepted, whatever becomes of the rest. An agent keeps the connection once that has come.
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
    // What has come of the answer will do.
  }
  return Buffer.concat(parts).subarray(0, ANSWER_BYTES).toString("utf8");
}
