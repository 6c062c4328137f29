import type { Db } from "../db/connect.ts";
import { endSessionsOf } from "../http/session.ts";
import { hashPassword } from "./passwords.ts";
import { storePasswordHash } from "./queries.ts";

/**
 * Gives a user a new password, which the caller has validated, and logs them out everywhere, both or neither: who
 * changes a password because it leaked must be able to rely on that.
 */
export async function changePassword(db: Db, userId: number, password: string): Promise<void> {
  const hash = await hashPassword(password);
  await db.transaction(async (transaction) => {
    await storePasswordHash(transaction, userId, hash);
    await endSessionsOf(transaction, userId);
  });
}
