import { z } from "zod";
import { oneOf, text, wholeNumber } from "../../../web/request/params.ts";
import { zodMessage } from "../../../words/i18n/lazy-text.ts";
import { GRANTED_SCOPES } from "../../../words/scopes.ts";
import { isComingDay } from "../schemas.ts";

/** A day (YYYY-MM-DD, UTC) from today to a year from now. */
export const grantDay = z
  .string({ error: zodMessage("input.required") })
  .refine((day) => isComingDay(day) && day <= lastDay(), {
    error: () => zodMessage("key_grants.error.day", { last: lastDay() }),
  });

/** The form that grants a scope until the end of a day. */
export const grantForm = z.object({
  owner: text(1, 200),
  key: text(1, 200),
  scope: oneOf(GRANTED_SCOPES),
  until: grantDay,
});

/** The button that revokes it. */
export const revokeForm = z.object({
  revoke: wholeNumber(1, 999_999_999_999_999),
  scope: oneOf(GRANTED_SCOPES),
});

/** The last possible day of a grant made today, by UTC. */
export function lastDay(now = new Date()): string {
  const last = new Date(now);
  last.setUTCFullYear(now.getUTCFullYear() + 1);
  return last.toISOString().slice(0, 10);
}
