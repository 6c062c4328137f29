import type { ServerResponse } from "node:http";

export type Header = readonly [name: string, value: string];

export function setHeaders(res: ServerResponse, headers: readonly Header[]): void {
  for (const [name, value] of headers) res.setHeader(name, value);
}
