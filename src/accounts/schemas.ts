import { z } from "zod";
import { text } from "../http/params.ts";
import { nameKey } from "./names.ts";

/**
 * Letters with up to three marks on them (accents, vowel signs), digits, space and `_ - .`, of any script. Characters
 * that are not seen at all, such as the Hangul filler, count as letters in Unicode and are left out here.
 */
const PLAIN = /^(?:(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}]\p{M}{0,3}|[ _.-])+$/u;

/** An account's name as it is shown: 2 to 32 characters, with white space tidied. */
const accountName = z
  .string({ error: "is required" })
  .transform((value) => value.normalize("NFC").replace(/\s+/gu, " ").trim())
  .pipe(
    text(2, 32)
      .regex(PLAIN, "may hold letters, digits, spaces and _ - . only")
      .regex(/[\p{L}\p{N}]/u, "must hold a letter or a digit"),
  );

/** No rules of composition: NIST SP 800-63B, section 3.1.1.2, asks for length alone. */
export const newPassword = text(8, 200);

/** What was typed as an existing password; too long a one cannot be right, so it need not be hashed. */
const typedPassword = text(1, 200);

/** Only a mail that arrives proves an address, so this refuses no more than what cannot be one. */
const email = z
  .string()
  .transform((value) => value.trim())
  .pipe(
    text(3, 254).regex(
      /^[^\s\p{C}@"]{1,64}@[^\s\p{C}@]{1,253}$/u,
      "must be an e-mail address, such as ann@example.org",
    ),
  )
  .optional();

/** Where to go after a log-in; judged by `safeReturnPath` when it is used. */
const next = z.string().optional();

export const registrationForm = z.object({ name: accountName, password: newPassword, email, next });
export const logInForm = z.object({ name: text(1, 200), password: typedPassword, next });
export const emailForm = z.object({ email });
export const passwordForm = z.object({ current_password: typedPassword, new_password: newPassword });
export const deletionForm = z.object({
  current_password: typedPassword,
  confirm: z.literal("yes", { error: "must be ticked" }),
});

/** For the commands: the same rules as in the forms. */
export const newAccount = z.object({ name: accountName, password: newPassword, email });

/** What is wrong with a password beside its length, in view of the account's name; undefined when nothing is. */
export function passwordFault(name: string, password: string): string | undefined {
  return nameKey(name) === nameKey(password) ? "must not be the account's name" : undefined;
}
