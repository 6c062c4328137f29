import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

export const ANONYMOUS_HOURS = 24;
/** So many visitors' signatures are not computed anew with each request. */
const REMEMBERED_TOKENS = 1_000;

/** A signed value with an expiry (HMAC-SHA256), which identifies nobody. */
export function anonymousToken(secret: string): string {
  const expires = Math.floor(Date.now() / 1000) + ANONYMOUS_HOURS * 3600;
  const body = `anonymous.${expires}.${randomBytes(12).toString("base64url")}`;
  return `${body}.${sign(body, secret)}`;
}

/** Checks anonymous tokens: signature and expiry. */
export function anonymousTokens(secret: string): (token: string) => boolean {
  // A visitor's cookie comes with each key they press; a signature that was right stays right.
  const expiryOf = new Map<string, number>();
  return (token) => {
    const expires = expiryOf.get(token) ?? signedExpiry(token, secret);
    if (expires === undefined || expires <= Date.now()) return false;
    if (expiryOf.size === REMEMBERED_TOKENS) expiryOf.clear();
    expiryOf.set(token, expires);
    return true;
  };
}

/** When a token of ours ends, in milliseconds; undefined where its signature is wrong. */
function signedExpiry(token: string, secret: string): number | undefined {
  const match = /^(anonymous\.(\d{1,12})\.[\w-]{16})\.([\w-]{43})$/.exec(token);
  if (!match) return undefined;
  const [, body = "", expires, signature = ""] = match;
  const expected = Buffer.from(sign(body, secret));
  return timingSafeEqual(expected, Buffer.from(signature)) ? Number(expires) * 1000 : undefined;
}

function sign(body: string, secret: string): string {
  return createHmac("sha256", secret).update(body).digest("base64url");
}
