import { createHash, randomBytes } from "node:crypto";
import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import { deleteInBatches } from "../db/rows.ts";

/** How long expired tokens are kept, so that their links can say why they fail. */
const KEPT = "1 day";

/** A token with the current state of its owner. */
export interface MailedToken {
  userId: number;
  name: string;
  /** Null if an operator handed the link over. */
  sentTo: string | null;
  email: string | null;
  confirmedEmail: string | null;
  isUsed: boolean;
  isOver: boolean;
}

/**
 * Creates a token for a mail to `email`, or for a link that an operator hands over; only its hash is stored. Earlier
 * ones keep working.
 */
export async function issueToken(
  db: Db,
  purpose: TokenPurpose,
  { userId, email }: { userId: number; email: string | null },
): Promise<string> {
  const token = makeToken();
  await db("mail_tokens").insert({
    token_hash: hashToken(token),
    user_id: userId,
    purpose,
    email,
    expires_at: db.raw("now() + make_interval(mins => ?)", [TOKEN_MINUTES]),
  });
  return token;
}

/** Undefined for a token that was never issued, or expired long ago. */
export async function findToken(
  db: Db,
  purpose: TokenPurpose,
  token: string,
): Promise<MailedToken | undefined> {
  return db("mail_tokens as token")
    .join("users as owner", "owner.id", "token.user_id")
    .where({ "token.token_hash": hashToken(token), "token.purpose": purpose })
    .first(
      "owner.id as userId",
      "owner.name",
      "owner.email",
      "owner.confirmed_email as confirmedEmail",
      "token.email as sentTo",
      db.raw('token.used_at is not null as "isUsed"'),
      db.raw('token.expires_at <= now() as "isOver"'),
    );
}

/**
 * Like `findToken`, and locks the owner against using another token or changing the address. The lock comes before the
 * token is read, so that the second of two parallel requests sees the changes of the first.
 */
export async function holdToken(
  transaction: Knex.Transaction,
  purpose: TokenPurpose,
  token: string,
): Promise<MailedToken | undefined> {
  const owner = transaction("mail_tokens")
    .select("user_id")
    .where({ token_hash: hashToken(token) });
  await transaction("users").where("id", owner).forUpdate().select("id");
  return findToken(transaction, purpose, token);
}

export async function useUpTokens(db: Db, purpose: TokenPurpose, userId: number): Promise<void> {
  await db("mail_tokens")
    .where({ user_id: userId, purpose })
    .whereNull("used_at")
    .update({ used_at: db.fn.now() });
}

export async function removeOldTokens(db: Db): Promise<number> {
  return deleteInBatches(db, "mail_tokens", `expires_at < now() - interval '${KEPT}'`);
}

/** The single use of a mailed link. */
type TokenPurpose = "confirm" | "reset";

/** How long a mailed link works. */
export const TOKEN_MINUTES = 60;

/** A new token of 256 bits as 43 characters that need no escape in a link. */
function makeToken(): string {
  return randomBytes(32).toString("base64url");
}

/**
 * The stored form of a token, so that nobody can open a link with the database or a copy of it. Random bits need no
 * slow hash, unlike passwords.
 */
function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
