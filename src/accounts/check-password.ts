import type { Db } from "../db/connect.ts";
import type { Role } from "../db/sessions.ts";
import type { AttemptLimits } from "./limits.ts";
import {
  hashPassword,
  isOutdated,
  PasswordsBusyError,
  refuseWhileBusy,
  verifyPassword,
} from "./passwords.ts";
import { type Credentials, findCredentials, nameKey, strengthenHash } from "./queries.ts";

type Named = Pick<Credentials, "id" | "name">;

/** `user` has the account's name, which may differ from the typed one. */
export type PasswordCheck =
  | { outcome: "right"; userId: number; user: Credentials; role: Role; passwordSetAt: string }
  | { outcome: "wrong"; user: Named | undefined }
  | { outcome: "limited"; waitSeconds: number };

interface Attempt {
  name: string;
  password: string;
  address: string;
}

/**
 * Checks a name and a password, within the limits on attempts. Counts an attempt before checking it, so that parallel
 * attempts cannot pass the limit together; an attempt that could not be checked does not count.
 * @throws PasswordsBusyError
 */
export async function checkPassword(db: Db, limits: AttemptLimits, attempt: Attempt): Promise<PasswordCheck> {
  const { name, password, address } = attempt;
  refuseWhileBusy();
  const waitSeconds = await limits.countLogIn(nameKey(name), address);
  if (waitSeconds > 0) return { outcome: "limited", waitSeconds };
  const { user, matches } = await compare(db, attempt).catch(async (error: unknown) => {
    // Undoing the count fails too while the database is down; the first error is reported.
    await limits.takeBackLogIn(nameKey(name), address).catch(() => undefined);
    throw error;
  });
  if (!user || !matches) return { outcome: "wrong", user };
  await limits.forgiveLogIn(nameKey(name), address);
  if (isOutdated(user.password_hash)) await rehash(db, user, password);
  return { outcome: "right", userId: user.id, user, role: user.role, passwordSetAt: user.passwordSetAt };
}

async function compare(db: Db, { name, password }: Attempt) {
  const user = await findCredentials(db, name);
  return { user, matches: await verifyPassword(password, user?.password_hash) };
}

/** A stronger hash needs the password itself. While too many wait, the next log-in does it. */
async function rehash(db: Db, user: Credentials, password: string): Promise<void> {
  try {
    await strengthenHash(db, user, await hashPassword(password));
  } catch (error) {
    if (!(error instanceof PasswordsBusyError)) throw error;
  }
}
