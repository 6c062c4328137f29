import { z } from "zod";
import type { oas31 } from "zod-openapi";
import { zodMessage } from "../../words/i18n/lazy-text.ts";
import { ISO_TIME, readIsoTime } from "../../words/text/time.ts";

/**
 * Building blocks for endpoint inputs. Every parameter arrives as text, or undefined if missing or blank. Messages
 * complete the sentence "<param> …" in the user's language (see `lazyText`).
 */

/** The blank characters of `trim`, for a character class in a regular expression of any dialect. */
export const SPACES = "\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff";

/** Text of `min` to `max` code points, without NUL and lone surrogates, which cannot be stored. */
export function text(min: number, max: number) {
  return z
    .string({ error: zodMessage("input.required") })
    .refine((value) => !value.includes("\0"), zodMessage("input.nul"))
    .refine((value) => value.isWellFormed(), zodMessage("input.surrogate"))
    .refine((value) => hasLength(value, min, max), zodMessage("input.characters", { min, max }))
    .meta({ override: textSchema(min, max) });
}

/** The same for the document, where a blank value would count as missing. */
function textSchema(min: number, max: number): oas31.SchemaObject {
  if (min === 0) return { type: "string", maxLength: max, pattern: "^[^\\u0000]*$" };
  const pattern = `^[^\\u0000]*[^\\u0000${SPACES}][^\\u0000]*$`;
  return { type: "string", minLength: min, maxLength: max, pattern };
}

/** The id of a record, in the game's spelling. */
export function id() {
  return text(1, 200);
}

/** The number that a path or form names something by; 0, which nothing has, for any other text. */
export function readNumber(text: unknown): number {
  return /^\d{1,15}$/.test(String(text)) ? Number(text) : 0;
}

/** A whole number written in decimal digits. */
export function wholeNumber(min: number, max: number) {
  const message = zodMessage("input.whole_number", { min, max });
  return z
    .string()
    .regex(/^[+-]?\d{1,15}$/, message)
    .transform(Number)
    .pipe(z.number().min(min, message).max(max, message))
    .meta({ override: { type: "integer", minimum: min, maximum: max } });
}

/** An ISO 8601 time, or a day, which `readTime` turns into one: by default its first instant in UTC. */
export function isoTime(readTime = readIsoTime) {
  return text(1, 40)
    .transform((written, context) => {
      const time = readTime(written);
      if (time === undefined) context.addIssue({ code: "custom", message: refuseTime(written) });
      return time ?? z.NEVER;
    })
    .meta({
      example: "2026-11-25T00:00:00Z",
      override: { type: "string", maxLength: 40, pattern: ISO_TIME.source },
    });
}

/** A zone such as +02:00 that was not encoded comes as a space. */
function refuseTime(written: string): string {
  const meant = written.replace(/ (\d\d:?\d\d)$/, "+$1");
  if (meant === written || readIsoTime(meant) === undefined) return zodMessage("input.time");
  return zodMessage("input.time_with_plus", { written: meant.replace("+", "%2B") });
}

/** The same, not in the future. */
export function pastTime(readTime = readIsoTime) {
  return isoTime(readTime).refine((time) => time.getTime() <= Date.now(), zodMessage("input.past"));
}

/** One of a few words. */
export function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, {
    error: (issue) =>
      issue.input === undefined
        ? zodMessage("input.required")
        : zodMessage("input.one_of", { values: values.join(", ") }),
  });
}

/** The search text: trimmed, 0 to 200 code points. */
export const searchText = z
  .string({ error: zodMessage("input.required") })
  .transform((value) => value.trim())
  .pipe(text(0, 200))
  .meta({ override: textSchema(0, 200) });

function hasLength(value: string, min: number, max: number): boolean {
  // Avoids counting a huge text: a code point has at most two UTF-16 units.
  if (value.length > max * 2) return false;
  const length = [...value].length;
  return length >= min && length <= max;
}

const LANGUAGE_TAG = "^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$";
const TAG_LENGTH = 35;

/** The language of names and texts. */
export const languageTag = text(1, TAG_LENGTH)
  .regex(new RegExp(LANGUAGE_TAG), zodMessage("input.language"))
  .meta({ override: { type: "string", maxLength: TAG_LENGTH, pattern: LANGUAGE_TAG } })
  .optional();
