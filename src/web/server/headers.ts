import type { IncomingMessage, ServerResponse } from "node:http";

/** Headers of the answer to one request, which no other answer may repeat: names and values in one list. */
interface WithOwnHeaders {
  ownHeaders?: readonly string[];
}

export type Header = readonly [name: string, value: string];

export function setHeaders(res: ServerResponse, headers: readonly Header[]): void {
  for (const [name, value] of headers) res.setHeader(name, value);
}

/** Gives a request headers of its own; they are on its answer, from memory or not, and are never remembered. */
export function addOwnHeaders(req: IncomingMessage, headers: readonly string[]): void {
  Object.assign(req, { ownHeaders: headers } satisfies WithOwnHeaders);
}

/** A request's own headers. */
export function ownHeadersOf(req: IncomingMessage & WithOwnHeaders): readonly string[] {
  return req.ownHeaders ?? [];
}

/** Sets them on a response, for an answer that the app makes. */
export function setOwnHeaders(req: IncomingMessage, res: ServerResponse): void {
  const headers = ownHeadersOf(req);
  for (let at = 0; at < headers.length; at += 2) res.setHeader(headers[at] ?? "", headers[at + 1] ?? "");
}
