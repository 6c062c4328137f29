import { readToken, signToken } from "./signed-token.ts";

export const ANONYMOUS_HOURS = 24;
/** How many checked tokens to remember instead of computing their signatures again. */
const REMEMBERED_TOKENS = 1_000;

/** Marks a cookie that names no stored session. */
const PREFIX = "anonymous.";
const PURPOSE = "anonymous-session";

/** A signed expiry time, which identifies nobody. */
export function anonymousToken(secret: string): string {
  const expires = Math.floor(Date.now() / 1000) + ANONYMOUS_HOURS * 3600;
  return PREFIX + signToken(secret, PURPOSE, String(expires));
}

/** Checks anonymous tokens: signature and expiry. */
export function anonymousTokens(secret: string): (token: string) => boolean {
  // The search sends the cookie with each keystroke, and a valid signature stays valid.
  const expiryOf = new Map<string, number>();
  return (token) => {
    const expires = expiryOf.get(token) ?? signedExpiry(token, secret);
    if (expires === undefined || expires <= Date.now()) return false;
    if (expiryOf.size === REMEMBERED_TOKENS) expiryOf.clear();
    expiryOf.set(token, expires);
    return true;
  };
}

/** When a token expires, in milliseconds; undefined if its signature is invalid. */
function signedExpiry(token: string, secret: string): number | undefined {
  if (!token.startsWith(PREFIX)) return undefined;
  const expires = readToken(secret, PURPOSE, token.slice(PREFIX.length));
  return expires === undefined ? undefined : Number(expires) * 1000;
}
