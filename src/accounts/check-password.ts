import type { Db } from "../db/connect.ts";
import type { AttemptLimits } from "./limits.ts";
import { nameKey } from "./names.ts";
import {
  hashPassword,
  isOutdated,
  PasswordsBusyError,
  refuseWhileBusy,
  verifyPassword,
} from "./passwords.ts";
import { type Credentials, findCredentials, strengthenHash } from "./queries.ts";

/** An account by the name that it has, which need not be what was typed. */
type Named = Pick<Credentials, "id" | "name">;

/** What came of a password: whose it is and when it was set, how many seconds to wait before the next try, or simply that it is wrong. */
export type PasswordCheck =
  | { outcome: "right"; userId: number; user: Named; passwordSetAt: string }
  | { outcome: "wrong"; user: Named | undefined }
  | { outcome: "limited"; waitSeconds: number };

interface Attempt {
  name: string;
  password: string;
  address: string;
}

/**
 * Checks a name and a password, within the limits on attempts. The attempt is counted before the password is looked
 * at, so that attempts at the same time cannot pass the limit together; one that nobody looked at counts for nothing.
 * @throws PasswordsBusyError
 */
export async function checkPassword(db: Db, limits: AttemptLimits, attempt: Attempt): Promise<PasswordCheck> {
  const { name, password, address } = attempt;
  refuseWhileBusy();
  const waitSeconds = await limits.countLogIn(nameKey(name), address);
  if (waitSeconds > 0) return { outcome: "limited", waitSeconds };
  const { user, matches } = await compare(db, attempt).catch(async (error: unknown) => {
    // Where the database is away, the point is not to be taken back either; what failed is the answer.
    await limits.takeBackLogIn(nameKey(name), address).catch(() => undefined);
    throw error;
  });
  if (!user || !matches) return { outcome: "wrong", user };
  await limits.forgiveLogIn(nameKey(name), address);
  if (isOutdated(user.password_hash)) await rehash(db, user, password);
  return { outcome: "right", userId: user.id, user, passwordSetAt: user.passwordSetAt };
}

async function compare(db: Db, { name, password }: Attempt) {
  const user = await findCredentials(db, name);
  return { user, matches: await verifyPassword(password, user?.password_hash) };
}

/** Only while the password is at hand can its hash be made anew; where too many wait, at the next log-in. */
async function rehash(db: Db, user: Credentials, password: string): Promise<void> {
  try {
    await strengthenHash(db, user, await hashPassword(password));
  } catch (error) {
    if (!(error instanceof PasswordsBusyError)) throw error;
  }
}
