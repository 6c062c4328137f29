import { z } from "zod";
import { text, wholeNumber } from "../../web/request/params.ts";
import { zodMessage } from "../../words/i18n/lazy-text.ts";
import { ISO_TIME, readIsoTime } from "../../words/text/time.ts";
import { CURSOR_PATTERN } from "./cursor.ts";

/** Either is needed: see `api.ts`. */
export const changesInput = z.object({
  since: text(1, 40)
    .regex(CURSOR_PATTERN, zodMessage("input.since"))
    .optional()
    .meta({ example: "1024", override: { type: "string", maxLength: 40, pattern: CURSOR_PATTERN.source } }),
  updated_since: text(1, 40)
    .transform((written, context) => {
      const time = readIsoTime(written);
      if (time === undefined) context.addIssue({ code: "custom", message: refuseTime(written) });
      return time ?? z.NEVER;
    })
    .optional()
    .meta({
      example: "2026-11-25T00:00:00Z",
      override: { type: "string", maxLength: 40, pattern: ISO_TIME.source },
    }),
  limit: wholeNumber(1, 1000).default(200),
});

/** A zone such as +02:00 that was not encoded comes as a space. */
function refuseTime(written: string): string {
  const meant = written.replace(/ (\d\d:?\d\d)$/, "+$1");
  if (meant === written || readIsoTime(meant) === undefined) return zodMessage("input.time");
  return zodMessage("input.time_with_plus", { written: meant.replace("+", "%2B") });
}

/** @param record the schema of a record of the kind */
export function changesOutput(record: z.ZodType) {
  const change = z
    .object({
      version: z.int().meta({ description: "Of the kind; it grows with every change." }),
      id: z.string(),
      change: z.enum(["changed", "removed"]).meta({ description: "changed: added or updated." }),
      at: z.iso.datetime().meta({ description: "When it was written." }),
      record: record.nullable().meta({ description: "The whole record as it is now; null if it is gone." }),
    })
    .meta({ id: "RecordChange" });
  return z.object({
    changes: z.array(change).meta({ description: "In the order in which they took effect." }),
    next: z.string().meta({ description: "Where to go on: send it as `since`." }),
    complete: z
      .boolean()
      .meta({ description: "true: these are all, and a copy is now as the site is; false: ask again." }),
  });
}
