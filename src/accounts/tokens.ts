import { createHash, randomBytes } from "node:crypto";

/** What a mailed link lets its reader do, once. */
export type TokenPurpose = "confirm" | "reset";

/** How long a mailed link works. */
export const TOKEN_MINUTES = 60;

/** A new token of 256 bits as 43 characters that need no escape in a link. */
export function makeToken(): string {
  return randomBytes(32).toString("base64url");
}

/**
 * What is stored of a token: who reads the database, or a copy of it, cannot open a link with that. Random bits need no
 * slow hash, unlike passwords.
 */
export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
