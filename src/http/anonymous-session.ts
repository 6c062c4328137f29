import { readToken, signToken } from "./signed-token.ts";

export const ANONYMOUS_HOURS = 24;
/** So many visitors' signatures are not computed anew with each request. */
const REMEMBERED_TOKENS = 1_000;

/** By this a cookie is known to name no stored session. */
const PREFIX = "anonymous.";
const PURPOSE = "anonymous-session";

/** A signed expiry, which identifies nobody. */
export function anonymousToken(secret: string): string {
  const expires = Math.floor(Date.now() / 1000) + ANONYMOUS_HOURS * 3600;
  return PREFIX + signToken(secret, PURPOSE, String(expires));
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
  if (!token.startsWith(PREFIX)) return undefined;
  const expires = readToken(secret, PURPOSE, token.slice(PREFIX.length));
  return expires === undefined ? undefined : Number(expires) * 1000;
}
