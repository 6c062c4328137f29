import { z } from "zod";
import { oneOf, text } from "../../web/request/params.ts";
import { zodMessage } from "../../words/i18n/lazy-text.ts";
import { OWNER_SCOPES, type OwnerScope } from "../../words/scopes.ts";
import { endOfDay } from "../../words/text/time.ts";
import type { Expiry } from "./queries.ts";

const EXPIRIES = ["30", "90", "365", "date", "never"] as const;

/** A check box of a form. */
const checked = oneOf(["1"]).optional();

/** The form that creates a key. `expires_on` (a day, by UTC) counts only if `expiry` is `date`. */
export const keyForm = z
  .object({
    name: z
      .string({ error: zodMessage("input.required") })
      .transform((value) => value.trim())
      .pipe(text(1, 60)),
    expiry: oneOf(EXPIRIES),
    expires_on: z.string().optional(),
    "read:favorites": checked,
    "read:notifications": checked,
    // The page generates it. Every request without a valid one creates a key.
    form_id: z.uuid().optional().catch(undefined),
  })
  .refine(({ expiry, expires_on = "" }) => expiry !== "date" || isComingDay(expires_on), {
    path: ["expires_on"],
    message: zodMessage("api_keys.error.day"),
  });

export function readExpiry({ expiry, expires_on = "" }: z.output<typeof keyForm>): Expiry {
  if (expiry === "never") return "never";
  return expiry === "date" ? { day: expires_on } : { days: Number(expiry) };
}

/** The form's permissions for the key in addition to reading. */
export function readScopes(form: z.output<typeof keyForm>): OwnerScope[] {
  return OWNER_SCOPES.filter((scope) => form[scope] !== undefined);
}

/** Today or a later calendar day. */
export function isComingDay(text: string): boolean {
  return endOfDay(text) !== undefined && text >= new Date().toISOString().slice(0, 10);
}
