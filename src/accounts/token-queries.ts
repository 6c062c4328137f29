import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import { deleteInBatches } from "../db/rows.ts";
import { hashToken, makeToken, TOKEN_MINUTES, type TokenPurpose } from "./tokens.ts";

/** Over by so much, a token is still known, so that its link can say what happened. */
const KEPT = "1 day";

/** A token with its owner as they are now. */
export interface MailedToken {
  userId: number;
  name: string;
  /** Where the token was sent. */
  sentTo: string;
  /** The owner's address: what was typed last, and what was proven to be theirs. */
  email: string | null;
  confirmedEmail: string | null;
  isUsed: boolean;
  isOver: boolean;
}

/** Makes a token for a mail that is about to be sent to `email`; only its hash is kept. Earlier ones go on working. */
export async function issueToken(
  db: Db,
  purpose: TokenPurpose,
  { userId, email }: { userId: number; email: string },
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

/** What is known of a token; undefined for one that was never given out, or is over for long. */
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
 * Like `findToken`, and until the transaction ends nobody else uses a token of this owner or changes the owner's
 * address. The owner is locked before the token is read: of two links that are opened at once, the second one sees what
 * the first has done.
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

/** Marks every token that a user has for this purpose as used. */
export async function useUpTokens(db: Db, purpose: TokenPurpose, userId: number): Promise<void> {
  await db("mail_tokens")
    .where({ user_id: userId, purpose })
    .whereNull("used_at")
    .update({ used_at: db.fn.now() });
}

/** Removes tokens whose time is over; resolves to how many. */
export async function removeOldTokens(db: Db): Promise<number> {
  return deleteInBatches(db, "mail_tokens", `expires_at < now() - interval '${KEPT}'`);
}
