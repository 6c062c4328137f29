import { z } from "zod";
import { Refusal } from "../../records/values.ts";

/** Looked at also when other fields are refused, so that a record's problems are told all at once. */
export const ALWAYS = { when: () => true };

/** What is told at a field though it is about several of them. */
export function together(field: string) {
  return { path: [field], ...ALWAYS };
}

/** A field that may be missing, null then. */
export function optional<T>(read: (value: unknown) => T | Refusal) {
  return z
    .unknown()
    .optional()
    .transform((value, context): T | null => {
      if (value === undefined || value === null) return null;
      const result = read(value);
      return result instanceof Refusal ? refuse(context, result.reason) : result;
    });
}

/** A field that must be there. */
export function required<T>(read: (value: unknown) => T | Refusal) {
  return z
    .unknown()
    .optional()
    .transform((value, context): T => {
      const result = value === undefined || value === null ? new Refusal("is missing") : read(value);
      return result instanceof Refusal ? refuse(context, result.reason) : result;
    });
}

/** Ends a field's reading with what is wrong about it. */
export function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: "custom", message });
  return z.NEVER;
}
