import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import fresh from "fresh";
import { ownHeadersOf } from "../server/headers.ts";
import { type AnswerForm, type FilledAnswer, readValidators, type Validators } from "./answer-forms.ts";
import { bodyHeaders, compress } from "./encoding.ts";
import { toPrivate } from "./send.ts";

export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/**
 * Sends a cached response, or 304.
 * @param how.isPrivate whether the request had a key, so that shared caches must not store the response
 * @param how.ageS how old the response may be, in seconds, while the database is down
 */
export function sendCached(
  { req, res }: Exchange,
  form: AnswerForm,
  { isPrivate, ageS }: { isPrivate: boolean; ageS: number | undefined },
): void {
  const { validators, headers, bodyHeaders: ofBody, body } = form;
  const sent = isPrivate
    ? headers.map((text, at) => (headers[at - 1] === "Cache-Control" ? toPrivate(text) : text))
    : headers;
  const own = ownHeaders(req, ageS);
  if (isUnchanged(req, validators)) res.writeHead(304, own.concat(sent)).end();
  else res.writeHead(200, own.concat(sent, ofBody)).end(body);
}

/** Sends a logged-in user the page with their own parts. */
export async function sendPersonalised(
  { req, res }: Exchange,
  { headers, plain, encoding: wanted }: FilledAnswer,
  ageS: number | undefined,
): Promise<void> {
  const own = [...ownHeaders(req, ageS), ...headers.flat()];
  if (isUnchanged(req, readValidators(headers))) return void res.writeHead(304, own).end();
  const { body, encoding } = await compress(plain, wanted);
  res.writeHead(200, [...own, ...bodyHeaders(body, encoding).flat()]).end(body);
}

function ownHeaders(req: IncomingMessage, ageS: number | undefined): string[] {
  const own = ["X-Request-Id", randomUUID(), ...ownHeadersOf(req)];
  return ageS === undefined ? own : [...own, "Age", String(ageS)];
}

/** Whether the client has this response (RFC 9110, section 13). */
function isUnchanged({ headers: asked }: IncomingMessage, validators: Validators): boolean {
  if (asked["if-none-match"] === undefined && asked["if-modified-since"] === undefined) return false;
  return fresh(asked, validators);
}
