import { createHmac, timingSafeEqual } from "node:crypto";

const SIGNATURE_BYTES = 32;

/**
 * A value that comes back to us in a link or a cookie, signed (HMAC-SHA256) so that nobody can make one up: base64url
 * throughout, so it is one segment of a path. The value is readable. `purpose` keeps a token of one kind from passing as
 * another. Links in sent mails are made of it: its format must stay.
 */
export function signToken(secret: string, purpose: string, value: string): string {
  return Buffer.concat([sign(secret, purpose, value), Buffer.from(value)]).toString("base64url");
}

/** The value of a token that `signToken` made with this secret for this purpose; undefined for any other text. */
export function readToken(secret: string, purpose: string, token: string): string | undefined {
  const bytes = Buffer.from(token, "base64url");
  // Decoding overlooks foreign characters and unused bits: of all spellings only the one that was given out counts.
  if (bytes.length < SIGNATURE_BYTES || bytes.toString("base64url") !== token) return undefined;
  const value = bytes.subarray(SIGNATURE_BYTES).toString();
  const isOurs = timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), sign(secret, purpose, value));
  return isOurs ? value : undefined;
}

/** The line break cannot be part of a purpose, so that no pair of purpose and value reads as another one. */
function sign(secret: string, purpose: string, value: string): Buffer {
  if (purpose.includes("\n")) throw new RangeError("a purpose is one line");
  return createHmac("sha256", secret).update(`signed-token\n${purpose}\n${value}`).digest();
}
