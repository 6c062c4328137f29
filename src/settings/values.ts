import { z } from "zod";

/** A setting that is a whole number in digits. */
export function wholeNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .pipe(z.number().min(min, message).max(max, message));
}

/** A setting that is on or off. */
export function flag() {
  const values = new Map([
    ["1", true],
    ["true", true],
    ["0", false],
    ["false", false],
  ]);
  return z.string().transform((text, context) => {
    const value = values.get(text.toLowerCase());
    return value ?? refuse(context, "must be 1 or 0");
  });
}

/** Refuses a setting's value with a message that follows its name. */
export function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: "custom", message });
  return z.NEVER;
}
