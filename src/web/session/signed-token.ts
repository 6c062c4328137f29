import { createHmac, timingSafeEqual } from "node:crypto";

const SIGNATURE_BYTES = 32;

/**
 * Signs a value for a link or a cookie (HMAC-SHA256), so that nobody can forge it. The token is base64url, so it fits
 * in one path segment. The value is readable. `purpose` keeps a token of one kind from passing as another. Links in
 * sent mails use this format, so it must not change.
 */
export function signToken(secret: string, purpose: string, value: string): string {
  return Buffer.concat([sign(secret, purpose, value), Buffer.from(value)]).toString("base64url");
}

/** The value of a token that `signToken` made with this secret for this purpose; undefined for any other text. */
export function readToken(secret: string, purpose: string, token: string): string | undefined {
  const bytes = Buffer.from(token, "base64url");
  // Decoding ignores foreign characters and unused bits, so only the issued spelling is accepted.
  if (bytes.length < SIGNATURE_BYTES || bytes.toString("base64url") !== token) return undefined;
  const value = bytes.subarray(SIGNATURE_BYTES).toString();
  const isOurs = timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), sign(secret, purpose, value));
  return isOurs ? value : undefined;
}

/** A purpose must not contain a line break, so that no two pairs of purpose and value sign the same text. */
function sign(secret: string, purpose: string, value: string): Buffer {
  if (purpose.includes("\n")) throw new RangeError("a purpose is one line");
  return createHmac("sha256", secret).update(`signed-token\n${purpose}\n${value}`).digest();
}
