import { createHash } from "node:crypto";
import type { Request } from "express";
import type { RequestHeader } from "../../web/api/endpoint.ts";
import { badInput } from "../../web/pages/errors.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import type { Repeatable } from "./answer-queries.ts";

const NAME_LENGTH = 255;
const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;
/** 1 to 255 visible characters, quoted as in the draft, or unquoted as most clients send it. */
const NAME = /^(?:"[!-~]{1,255}"|[!#-~][!-~]{0,254})$/;

type RequestHeaders = Readonly<Record<string, RequestHeader>>;

/** The request headers of all writes. */
export const WRITE_HEADERS: RequestHeaders = {
  "Idempotency-Key": {
    meaning:
      "A unique key for this write, 1 to 255 visible ASCII characters. A repeat within 24 hours gets the first response and changes nothing.",
    pattern: NAME,
  },
};

/** The request headers of writes that change or remove a record. */
export const CHANGE_HEADERS: RequestHeaders = {
  ...WRITE_HEADERS,
  "If-Match": {
    meaning: "Only if the record still has this entity tag, or exists at all (`*`).",
    pattern: /^(?:\*|[ ,]*(?:(?:W\/)?"[!#-~\u0080-\u00ff]*"[ ,]*)+)$/,
  },
};

/** The request headers of writes that may also create a record. */
export const PUT_HEADERS: RequestHeaders = {
  ...CHANGE_HEADERS,
  "If-None-Match": { meaning: "`*`: only if the record does not exist yet.", pattern: /^\*$/ },
};

/** Parses `If-Match` (RFC 9110, section 13.1.1); undefined without it. @throws HttpError 400 */
export function readIfMatch(req: Request): readonly string[] | "*" | undefined {
  const sent = req.get("if-match");
  if (sent === undefined) return undefined;
  if (sent.trim() === "*") return "*";
  const tags = sent.match(ENTITY_TAG) ?? [];
  const rest = sent.replaceAll(ENTITY_TAG, "").replaceAll(",", "").trim();
  if (tags.length === 0 || rest !== "")
    throw badInput([{ param: "If-Match", message: lazyText("input.entity_tags") }]);
  // A weak tag never matches here.
  return tags;
}

/** True if the write may only create a record. Writes accept only `*` in `If-None-Match`. @throws HttpError 400 */
export function readCreateOnly(req: Request): boolean {
  const sent = req.get("if-none-match");
  if (sent === undefined) return false;
  if (sent.trim() === "*") return true;
  throw badInput([{ param: "If-None-Match", message: lazyText("input.only_star") }]);
}

/**
 * Reads what identifies a repeated request; undefined without `Idempotency-Key`
 * (draft-ietf-httpapi-idempotency-key-header).
 * @throws HttpError 400
 */
export function readRepeatable(req: Request, keyId: number): Repeatable | undefined {
  const sent = req.get("idempotency-key");
  if (sent === undefined) return undefined;
  const given = sent.trim();
  if (!NAME.test(given)) {
    const message = lazyText("input.visible_ascii", { max: NAME_LENGTH });
    throw badInput([{ param: "Idempotency-Key", message }]);
  }
  const name = given.startsWith('"') ? given.slice(1, -1) : given;
  return { keyId, name, request: hashOf(req) };
}

/** Hashes a write without its API key, which a repeat may send in another place. */
function hashOf(req: Request): Buffer {
  const { method, body } = req;
  const said = [method, req.baseUrl + req.path, req.get("if-match") ?? "", req.get("if-none-match") ?? ""];
  const hash = createHash("sha256").update(JSON.stringify(said));
  if (Buffer.isBuffer(body)) hash.update(body);
  return hash.digest();
}
