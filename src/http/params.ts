import { z } from "zod";

/**
 * Building blocks for endpoint inputs. Every parameter arrives as text (or undefined when missing or blank), from
 * the query string or a body alike; the messages complete the sentence "<param> …".
 */

/** Text of `min` to `max` code points. NUL and lone surrogates cannot be stored or searched, so they are refused. */
export function text(min: number, max: number) {
  return z
    .string({ error: "is required" })
    .refine((value) => !value.includes("\0"), "must not contain a NUL character")
    .refine((value) => value.isWellFormed(), "must be well-formed Unicode (a lone surrogate was sent)")
    .refine((value) => hasLength(value, min, max), `must have ${min} to ${max} characters`);
}

/** The id of a thing, as the game writes it. */
export function id() {
  return text(1, 200).meta({ example: "411" });
}

/** A whole number written in decimal digits. */
export function wholeNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^[+-]?\d{1,15}$/, message)
    .transform(Number)
    .pipe(z.number().min(min, message).max(max, message))
    .meta({ override: { type: "integer", minimum: min, maximum: max } });
}

/** One of a few words. */
export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, {
    error: (issue) => (issue.input === undefined ? "is required" : `must be one of ${values.join(", ")}`),
  });
}

/** The search text: trimmed, 0 to 200 code points. */
export const searchText = z
  .string({ error: "is required" })
  .transform((value) => value.trim())
  .pipe(text(0, 200))
  .meta({
    description: "What to look for; blank finds nothing.",
    override: { type: "string", maxLength: 200 },
  });

function hasLength(value: string, min: number, max: number): boolean {
  // Counting code points of a huge text is wasted work: UTF-16 needs at most two units for one.
  if (value.length > max * 2) return false;
  const length = [...value].length;
  return length >= min && length <= max;
}
