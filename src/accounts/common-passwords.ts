import { dictionary } from "@zxcvbn-ts/language-common";

/** The shortest password that an account may have. */
export const PASSWORD_MIN = 8;

/**
 * Leaked passwords from zxcvbn-ts, of which some 18,000 are long enough to be chosen here. Compared without case, as
 * guessing programs do.
 */
const COMMON = new Set(
  dictionary["passwords-common"].map(comparable).filter((password) => [...password].length >= PASSWORD_MIN),
);

/** Whether a password is among those that are guessed first. Source: NIST SP 800-63B, section 3.1.1.2 (blocklist). */
export function isCommonPassword(password: string): boolean {
  return COMMON.has(comparable(password));
}

function comparable(password: string): string {
  return password.normalize("NFKC").toLowerCase();
}
