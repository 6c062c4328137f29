import type { Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { withoutKey } from "../../words/safe-urls.ts";
import { http } from "./node-http.ts";

/** An error of Node's parser, with the bytes that it could not parse. */
type ParserError = Error & { code?: string; rawPacket?: Buffer };

interface Refusal {
  readonly status: number;
  readonly detail: string;
  /** The address with which the same request is valid. */
  readonly location?: string;
}

/** How long a refused client may take to read its response. */
const LINGER_MS = 1_000;

/** Statuses of Node's own responses (`socketOnError` of lib/_http_server.js); all others are 400. */
const STATUSES: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

export const HEAD_REFUSALS = {
  400: "This is no HTTP request. In an address, percent-encode spaces and all letters but a to z.",
  408: "The request did not arrive in time.",
  413: "The chunk extensions of the body are too long.",
  431: "The address and headers are longer than 16 KiB.",
} as const;

const DETAILS: Readonly<Record<number, string>> = HEAD_REFUSALS;

/**
 * Answers requests that Node's parser refuses, because Node would send an empty body. If the address of a read has
 * unencoded letters, as curl sends them, it is redirected to the percent-encoded address.
 */
export function answerRefusedHeads(server: Server): void {
  const begun = new WeakMap<Duplex, ServerResponse[]>();
  server.on("request", ({ socket }, res) => {
    begun.set(socket, [...(begun.get(socket) ?? []).filter(({ closed }) => !closed), res]);
  });
  server.on("clientError", (error: ParserError, socket) => {
    const isInAnswer = begun.get(socket)?.some(({ closed, headersSent }) => headersSent && !closed);
    if (!socket.writable || error.code === "ECONNRESET" || isInAnswer === true) socket.destroy();
    else {
      socket.end(renderAnswer(findRefusal(error), error.rawPacket));
      // Not at once, because a reset would discard the response if the client is still sending.
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
    }
  });
}

function findRefusal({ code = "", rawPacket }: ParserError): Refusal {
  const status = STATUSES[code] ?? 400;
  const location = code === "HPE_INVALID_URL" && rawPacket ? encodedTarget(rawPacket) : undefined;
  if (location === undefined) return { status, detail: DETAILS[status] ?? "" };
  return { status: 308, detail: `Percent-encode letters in an address: ${location}`, location };
}

/**
 * The target of a GET or HEAD with its other bytes percent-encoded; undefined for other requests and if it contains a
 * key.
 */
function encodedTarget(packet: Buffer): string | undefined {
  // Latin-1 keeps each byte as a character.
  const [, target] = /^(?:GET|HEAD) (\/[^\s\0]*) HTTP\/1\.[01]\r?\n/.exec(packet.toString("latin1")) ?? [];
  if (target === undefined || target.startsWith("//")) return undefined;
  const encoded = target.replace(/[^\w\-.~!$&'()*+,;=:@/?%]/g, percentEncode);
  return withoutKey(encoded) === encoded ? encoded : undefined;
}

function percentEncode(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}

/** The site's address is unknown here, so the problem's `type` cannot link to its documentation. */
function renderAnswer({ status, detail, location }: Refusal, packet?: Buffer): string {
  const title = http.STATUS_CODES[status] ?? "";
  const isApi = packet?.toString("latin1", 0, 32).includes(" /api") === true;
  const body = isApi ? JSON.stringify({ type: "about:blank", title, status, detail }) : `${detail}\n`;
  const headers = [
    `HTTP/1.1 ${status} ${title}`,
    "Connection: close",
    ...(location === undefined ? [] : [`Location: ${location}`]),
    `Content-Type: ${isApi ? "application/problem+json" : "text/plain"}; charset=utf-8`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Cache-Control: no-store",
    "X-Content-Type-Options: nosniff",
    "Access-Control-Allow-Origin: *",
  ];
  return `${headers.join("\r\n")}\r\n\r\n${packet?.toString("latin1", 0, 5) === "HEAD " ? "" : body}`;
}
