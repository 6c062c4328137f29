import { createRequire } from "node:module";

/** The shortest password that an account may have. */
export const PASSWORD_MIN = 8;

let common: ReadonlySet<string> | undefined;

/**
 * Leaked passwords from zxcvbn-ts; some 18,000 are long enough for this site. Compared without case, as guessing
 * programs do. Loaded when a user first chooses a password.
 */
function commonPasswords(): ReadonlySet<string> {
  const { dictionary }: typeof import("@zxcvbn-ts/language-common") = createRequire(import.meta.url)(
    "@zxcvbn-ts/language-common",
  );
  const leaked = dictionary["passwords-common"].map(comparable);
  return new Set(leaked.filter((password) => [...password].length >= PASSWORD_MIN));
}

/**
 * Whether a password is among those that attackers guess first.
 *
 * Source: NIST SP 800-63B, section 3.1.1.2 (blocklist).
 */
export function isCommonPassword(password: string): boolean {
  common ??= commonPasswords();
  return common.has(comparable(password));
}

function comparable(password: string): string {
  return password.normalize("NFKC").toLowerCase();
}
