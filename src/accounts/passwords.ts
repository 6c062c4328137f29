import { hash, parseOptions, verify } from "@node-rs/argon2";
import pLimit from "p-limit";

/**
 * Argon2id (the library's default) with the first set of parameters of
 * https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#argon2id
 */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Each hash takes 19 MiB and a core for some 20 ms, so a flood of log-ins must neither run at once nor wait long. */
const AT_ONCE = 2;
const WAITING_AT_MOST = 40;

/** A well-formed hash that no password has: 16 bytes of salt and 32 of digest, all zero. */
const NOBODY = `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$${"A".repeat(22)}$${"A".repeat(43)}`;

/** More passwords wait for their hash than a person would wait for. */
export class PasswordsBusyError extends Error {
  override name = "PasswordsBusyError";
}

/**
 * Hash of a new password, as a PHC string with a salt of its own.
 * @throws PasswordsBusyError
 */
export async function hashPassword(password: string): Promise<string> {
  refuseWhileBusy();
  return inTurn(() => hash(comparable(password), PARAMETERS));
}

/**
 * Whether a password is the one that was hashed. Without a hash (there is no such user) it is not, after the same
 * time: how long a log-in takes must not tell which names exist.
 * @throws PasswordsBusyError
 */
export async function verifyPassword(password: string, hashed: string | undefined): Promise<boolean> {
  refuseWhileBusy();
  const matches = await inTurn(() => verify(hashed ?? NOBODY, comparable(password)));
  return matches && hashed !== undefined;
}

/** True for a hash that was made with less work than new ones are. */
export function isOutdated(hashed: string): boolean {
  const { memoryCost, timeCost } = parseOptions(hashed);
  return memoryCost < PARAMETERS.memoryCost || timeCost < PARAMETERS.timeCost;
}

/**
 * The same password typed on another keyboard may arrive as other code points.
 * Source: NIST SP 800-63B, section 3.1.1.2: normalise (NFKC or NFKD) before hashing.
 */
function comparable(password: string): string {
  return password.normalize("NFKC");
}

const inTurn = pLimit(AT_ONCE);

/**
 * For what is counted before a password is hashed: asked first, an attempt that could not be made is not counted.
 * @throws PasswordsBusyError while no other password may wait
 */
export function refuseWhileBusy(): void {
  if (inTurn.pendingCount >= WAITING_AT_MOST)
    throw new PasswordsBusyError("too many passwords are being hashed");
}
