import { z } from "zod";
import { oneOf, text } from "../http/params.ts";
import { saidAsMessage } from "../i18n/said.ts";
import type { Expiry } from "./queries.ts";

const EXPIRIES = ["30", "90", "365", "date", "never"] as const;

/** The form that makes a key. `expires_on` (a day, by UTC) counts only where `expiry` is `date`. */
export const keyForm = z
  .object({
    name: z
      .string({ error: saidAsMessage("input.required") })
      .transform((value) => value.trim())
      .pipe(text(1, 60)),
    expiry: oneOf(EXPIRIES),
    expires_on: z.string().optional(),
    // Which form it is: a page writes it. A program that sends none, or what is none, makes a key each time.
    form_id: z.uuid().optional().catch(undefined),
  })
  .refine(({ expiry, expires_on = "" }) => expiry !== "date" || isComingDay(expires_on), {
    path: ["expires_on"],
    message: saidAsMessage("api_keys.fault.day"),
  });

/** When a key that the form asks for shall expire: with the end of the chosen day, where one was chosen. */
export function expiryOf({ expiry, expires_on = "" }: z.output<typeof keyForm>): Expiry {
  if (expiry === "never") return "never";
  return expiry === "date" ? { day: expires_on } : { days: Number(expiry) };
}

/** A calendar day of this or a coming year of four digits; a longer year is a slip of the finger. */
function isComingDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(date.getTime())) return false;
  // A day that is not in the calendar, such as 31 June, becomes another one in a Date.
  return date.toISOString().startsWith(text) && text >= new Date().toISOString().slice(0, 10);
}
