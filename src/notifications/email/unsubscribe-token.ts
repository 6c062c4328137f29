import { readToken, signToken } from "../../web/session/signed-token.ts";

const PURPOSE = "unsubscribe";

/**
 * The token in the unsubscribe links of a user's mails. It ends mail about discounts, at any time, and does nothing
 * else.
 */
export function unsubscribeToken(secret: string, userId: number): string {
  return signToken(secret, PURPOSE, String(userId));
}

/** The user of such a link, or undefined if this site did not issue it. */
export function readUnsubscribeToken(secret: string, token: string): number | undefined {
  const value = readToken(secret, PURPOSE, token);
  return value === undefined ? undefined : Number(value);
}
