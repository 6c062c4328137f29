import { z } from "zod";
import { AUDITED_ACTIONS } from "../../db/audit-queries.ts";
import { oneOf, searchText, wholeNumber } from "../../web/request/params.ts";
import { zodMessage } from "../../words/i18n/lazy-text.ts";
import { readDay } from "../../words/text/time.ts";

const day = z.string().refine((text) => readDay(text) !== undefined, zodMessage("audit.error.day"));

/** The filters of the audit log. A page begins below the id `before`. */
export const auditInput = z.object({
  who: searchText.default(""),
  action: oneOf(AUDITED_ACTIONS).optional(),
  subject: searchText.default(""),
  from: day.optional(),
  until: day.optional(),
  before: wholeNumber(1, 999_999_999_999_999).optional(),
});

export type AuditFilter = z.output<typeof auditInput>;
