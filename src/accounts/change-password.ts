import type { Db } from "../db/connect.ts";
import { endSessionsOf, SessionEndedError } from "../db/sessions.ts";
import { hashPassword } from "./passwords.ts";
import { type CheckedPassword, storePasswordHash } from "./queries.ts";
import { useUpTokens } from "./token-queries.ts";

/**
 * Gives a user a new password, which the caller has validated, logs them out everywhere and makes every mailed link to
 * a new password useless, all or nothing: who changes a password because it leaked must be able to rely on that.
 */
export async function changePassword(db: Db, userId: number, password: string): Promise<void> {
  const hash = await hashPassword(password);
  await db.transaction((transaction) => replacePassword(transaction, userId, hash));
}

/**
 * The same in a transaction, with the hash of the new password.
 * @throws SessionEndedError where the password is another one by now than the one that was checked
 */
export async function replacePassword(
  db: Db,
  userId: number,
  hash: string,
  checked: CheckedPassword = {},
): Promise<void> {
  if (!(await storePasswordHash(db, userId, hash, checked))) throw new SessionEndedError();
  await useUpTokens(db, "reset", userId);
  await endSessionsOf(db, userId);
}
