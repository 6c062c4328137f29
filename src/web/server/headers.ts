import type { IncomingMessage, ServerResponse } from "node:http";

/** Headers of the response to one request, which no other response may repeat: names and values in one list. */
interface WithOwnHeaders {
  ownHeaders?: readonly string[];
}

export type Header = readonly [name: string, value: string];

export function setHeaders(res: ServerResponse, headers: readonly Header[]): void {
  for (const [name, value] of headers) res.setHeader(name, value);
}

/** Adds a request's own headers to its response, cached or not; they are never cached. */
export function addOwnHeaders(req: IncomingMessage, headers: readonly string[]): void {
  Object.assign(req, { ownHeaders: headers } satisfies WithOwnHeaders);
}

/** A request's own headers. */
export function ownHeadersOf(req: IncomingMessage & WithOwnHeaders): readonly string[] {
  return req.ownHeaders ?? [];
}

/** Sets them on a response that the app builds. */
export function setOwnHeaders(req: IncomingMessage, res: ServerResponse): void {
  const headers = ownHeadersOf(req);
  for (let at = 0; at < headers.length; at += 2) res.setHeader(headers[at] ?? "", headers[at + 1] ?? "");
}
