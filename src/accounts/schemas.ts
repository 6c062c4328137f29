import { createRequire } from "node:module";
import { isIP } from "node:net";
import { domainToASCII, domainToUnicode } from "node:url";
import { z } from "zod";
import { oneOf, text } from "../web/request/params.ts";
import { zoneNamed } from "../web/request/time-zones.ts";
import { LANGUAGES, type Language } from "../words/i18n/languages.ts";
import { type LazyText, lazyText, zodMessage } from "../words/i18n/lazy-text.ts";
import { accessForm } from "./open-access.ts";
import { nameKey } from "./queries.ts";

/** The shortest password that an account may have. */
const PASSWORD_MIN = 8;

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

/** RFC 3696, erratum 1690. */
const CHARACTERS_AT_MOST = 254;

/** A dot-atom (RFC 5322, section 3.2.3) of any script (RFC 6531). */
const LOCAL_PART =
  /^(?=.{1,64}$)[\w!#$%&'*+/=?^`{|}~\u{80}-\u{10ffff}-]+(\.[\w!#$%&'*+/=?^`{|}~\u{80}-\u{10ffff}-]+)*$/u;
const UNSEEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

const TYPED_DOMAIN = /^[\w.\u{80}-\u{10ffff}-]+$/u;
const DOMAIN = /^(?=.{1,253}$)[\w-]{1,63}(\.[\w-]{1,63})*$/;

/**
 * A normalised e-mail address, with its domain in lower-case ASCII: mails are counted and accounts found by it. So it
 * refuses everything that mail programs would strip or map (brackets, comments, full-width letters, a trailing dot).
 * Upper case before the @ stays, because servers may distinguish it.
 * @returns undefined if the text cannot be an address
 */
export function mailAddress(typed: string): string | undefined {
  const text = typed.normalize("NFC");
  if (text !== text.normalize("NFKC")) return undefined;
  const at = text.lastIndexOf("@");
  const [local, domain] = [text.slice(0, Math.max(at, 0)), asciiDomain(text.slice(at + 1))];
  if (domain === undefined || !LOCAL_PART.test(local) || UNSEEN.test(local)) return undefined;
  const address = `${local}@${domain}`;
  return address.length <= CHARACTERS_AT_MOST ? address : undefined;
}

/** Uses the rules of URLs, which read a number as an IPv4 address. Such an address cannot receive mail. */
function asciiDomain(typed: string): string | undefined {
  if (!TYPED_DOMAIN.test(typed)) return undefined;
  const domain = domainToASCII(typed);
  return DOMAIN.test(domain) && isIP(domain) === 0 && !hasBrokenPunycode(domain) ? domain : undefined;
}

/** Node 24 keeps a label that only looks like Punycode; Node 22 refuses it. */
function hasBrokenPunycode(domain: string): boolean {
  return /(^|\.)xn--/.test(domainToUnicode(domain));
}

/**
 * Letters of any script with up to three marks (accents, vowel signs), digits, space and `_ - .`. Not invisible ones,
 * such as the Hangul filler, which Unicode counts as letters.
 */
const PLAIN = /^(?:(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}]\p{M}{0,3}|[ _.-])+$/u;

/** An account's name as shown: 2 to 32 characters, with white space normalised. */
const accountName = z
  .string({ error: zodMessage("input.required") })
  .transform((value) => value.normalize("NFC").replace(/\s+/gu, " ").trim())
  .pipe(
    text(2, 32)
      .regex(PLAIN, zodMessage("accounts.error.name_characters"))
      .regex(/[\p{L}\p{N}]/u, zodMessage("accounts.error.name_letter")),
  );

/** No rules of composition: NIST SP 800-63B, section 3.1.1.2, requires length, and `passwordError`. */
export const newPassword = text(PASSWORD_MIN, 200);

/** An existing password; a longer one cannot be right, so it need not be hashed. */
const typedPassword = text(1, 200);

/** A normalised address, see `mailAddress`. */
const email = z
  .string({ error: zodMessage("input.required") })
  .transform((value) => value.trim())
  .pipe(text(3, 254))
  .transform((typed, context) => {
    const address = mailAddress(typed);
    if (address !== undefined) return address;
    context.addIssue({ code: "custom", message: zodMessage("accounts.error.email") });
    return z.NEVER;
  });

/** A time zone, under its current name. */
const timeZone = z.string().transform((name, context) => {
  const zone = zoneNamed(name);
  if (zone !== undefined) return zone;
  context.addIssue({ code: "custom", message: zodMessage("input.one_of_list") });
  return z.NEVER;
});

const language = oneOf(LANGUAGES as unknown as [Language, ...Language[]]);

/** The address after a log-in; checked by `readAfterLogIn`. */
const next = z.string().optional();

export const registrationForm = z.object({
  name: accountName,
  password: newPassword,
  email: email.optional(),
  // A script fills it in, so an invalid one must not prevent a registration.
  time_zone: timeZone.optional().catch(undefined),
  next,
});
export const logInForm = z.object({ name: text(1, 200), password: typedPassword, next });
/** Requires the password, because an address can reset it. */
export const emailForm = z.object({
  email: email.optional(),
  current_password: typedPassword,
  ...accessForm.shape,
});
export const passwordForm = z.object({
  current_password: typedPassword,
  new_password: newPassword,
  ...accessForm.shape,
});
export const forgottenPasswordForm = z.object({ email });
export const newPasswordForm = z.object({ new_password: newPassword, ...accessForm.shape });
export const localeForm = z.object({ language: language.optional(), time_zone: timeZone.optional() });
export const deletionForm = z.object({
  current_password: typedPassword,
  confirm: z.literal("yes", { error: zodMessage("accounts.error.confirm") }),
});

/** For commands, with the same rules as the forms. */
export const newAccount = z.object({ name: accountName, password: newPassword, email: email.optional() });

/** The error of a new password, apart from its length, or undefined. */
export function passwordError(name: string, password: string): LazyText | undefined {
  if (nameKey(name) === nameKey(password)) return lazyText("accounts.error.password_name");
  return isCommonPassword(password) ? lazyText("accounts.error.password_common") : undefined;
}
