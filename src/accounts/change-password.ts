import type { Knex } from "knex";
import { type Actor, recorded } from "../db/audit-queries.ts";
import type { Db } from "../db/connect.ts";
import { endSessionsOf, SessionEndedError } from "../db/sessions.ts";
import { dropUnconfirmed } from "./address-queries.ts";
import { type AccessChoice, type EndedAccess, endAccess } from "./open-access.ts";
import { hashPassword } from "./passwords.ts";
import { type CheckedPassword, storePasswordHash } from "./queries.ts";
import { useUpTokens } from "./token-queries.ts";

/**
 * Sets a user's new, validated password, logs them out everywhere, voids every mailed link and unconfirmed address, and
 * ends the chosen access. All or nothing, because a user whose password leaked must be able to rely on that.
 */
export async function changePassword(
  db: Knex,
  by: Actor,
  { id, name }: { id: number; name: string },
  password: string,
  choice: AccessChoice = {},
): Promise<EndedAccess> {
  const hash = await hashPassword(password);
  return recorded(
    db,
    by,
    (transaction) => replacePassword(transaction, id, hash, choice),
    (ended) => ({ action: "password.changed", subject: `user/${name}`, after: { ...ended } }),
  );
}

/**
 * The same in a transaction, with the hash of the new password.
 * @throws SessionEndedError if the checked password has been changed meanwhile
 */
export async function replacePassword(
  transaction: Db,
  userId: number,
  hash: string,
  choice: AccessChoice & CheckedPassword,
): Promise<EndedAccess> {
  if (!(await storePasswordHash(transaction, userId, hash, choice))) throw new SessionEndedError();
  await useUpTokens(transaction, "reset", userId);
  await endSessionsOf(transaction, userId);
  const address = await dropUnconfirmed(transaction, userId);
  return { ...(await endAccess(transaction, userId, choice)), address };
}
