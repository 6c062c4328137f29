import { createHash, randomBytes } from "node:crypto";

/** The single use of a mailed link. */
export type TokenPurpose = "confirm" | "reset";

/** How long a mailed link works. */
export const TOKEN_MINUTES = 60;

/** A new token of 256 bits as 43 characters that need no escape in a link. */
export function makeToken(): string {
  return randomBytes(32).toString("base64url");
}

/**
 * The stored form of a token, so that nobody can open a link with the database or a copy of it. Random bits need no
 * slow hash, unlike passwords.
 */
export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
