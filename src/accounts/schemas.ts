import { z } from "zod";
import { oneOf, text } from "../web/request/params.ts";
import { zoneNamed } from "../web/request/time-zones.ts";
import { LANGUAGES, type Language } from "../words/i18n/languages.ts";
import { type LazyText, lazyText, zodMessage } from "../words/i18n/lazy-text.ts";
import { isCommonPassword, PASSWORD_MIN } from "./common-passwords.ts";
import { mailAddress } from "./mail-address.ts";
import { accessForm } from "./open-access.ts";
import { nameKey } from "./queries.ts";

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
