import type * as argon2 from "@node-rs/argon2";
import pLimit from "p-limit";
import { lazyPackage } from "../settings/lazy-package.ts";

const loadArgon2 = lazyPackage<typeof argon2>("@node-rs/argon2");

/**
 * Argon2id (the library's default) with the first set of parameters of
 * https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#argon2id
 */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Each hash takes 19 MiB and a core for some 20 ms, so a flood of log-ins must not run all at once. */
const AT_ONCE = 2;
const WAITING_AT_MOST = 40;

/** A well-formed hash that matches no password: 16 bytes of salt and 32 of digest, all zero. */
const NOBODY = `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$${"A".repeat(22)}$${"A".repeat(43)}`;

export class PasswordsBusyError extends Error {
  override name = "PasswordsBusyError";
}

/**
 * Hashes a new password into a PHC string.
 * @throws PasswordsBusyError
 */
export async function hashPassword(password: string): Promise<string> {
  refuseWhileBusy();
  return inTurn(() => loadArgon2().hash(comparable(password), PARAMETERS));
}

/**
 * Checks a password against a hash. Without a hash (no such user) it takes as long and returns false, so that the time
 * of a log-in does not reveal which names exist.
 * @throws PasswordsBusyError
 */
export async function verifyPassword(password: string, hashed: string | undefined): Promise<boolean> {
  refuseWhileBusy();
  const matches = await inTurn(() => loadArgon2().verify(hashed ?? NOBODY, comparable(password)));
  return matches && hashed !== undefined;
}

/** True for a hash made with weaker parameters than new ones. */
export function isOutdated(hashed: string): boolean {
  const { memoryCost, timeCost } = loadArgon2().parseOptions(hashed);
  return memoryCost < PARAMETERS.memoryCost || timeCost < PARAMETERS.timeCost;
}

/**
 * The same password typed on another keyboard may arrive as other code points.
 *
 * Source: NIST SP 800-63B, section 3.1.1.2: normalise (NFKC or NFKD) before hashing.
 */
function comparable(password: string): string {
  return password.normalize("NFKC");
}

const inTurn = pLimit(AT_ONCE);

/**
 * Call this before counting an attempt, so that one that cannot be checked is not counted.
 * @throws PasswordsBusyError
 */
export function refuseWhileBusy(): void {
  if (inTurn.pendingCount >= WAITING_AT_MOST)
    throw new PasswordsBusyError("too many passwords are being hashed");
}
