import { z } from "zod";
import { timeoutOption } from "./gamedig-options.ts";

/** RFC 6901, without `__proto__`, which would lead out of the document. */
const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;
const pointer = z
  .string()
  .max(500)
  .refine((text) => POINTER.test(text), 'must be a JSON Pointer (RFC 6901) such as "/response/0/players"')
  .refine((text) => !text.split("/").includes("__proto__"), "must not contain __proto__");
const inside = pointer.min(1, "points to a value inside, so it starts with /");

export const jsonOptions = z
  .strictObject({
    url: z
      .string()
      .max(2000)
      .refine(isFetchable, "must be an http: or https: address without a user name or password"),
    timeout_ms: timeoutOption,
    list: pointer.optional(),
    where: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .refine((where) => Object.keys(where).length > 0, "names at least one pointer and its value")
      .superRefine(checkPointers)
      .optional(),
    online: inside,
    queue: inside.optional(),
    max_online: inside.optional(),
    up: inside.optional(),
  })
  .refine(({ list, where }) => list === undefined || where !== undefined, {
    path: ["where"],
    message: "is needed beside list: which of its elements is this server?",
  });

export type JsonOptions = z.infer<typeof jsonOptions>;

/** Not as the record's key type: zod would only say that a key is invalid. */
function checkPointers(where: object, context: z.RefinementCtx): void {
  for (const key of Object.keys(where)) {
    for (const { message } of inside.safeParse(key).error?.issues ?? []) {
      context.addIssue({ code: "custom", path: [key], message });
    }
  }
}

function isFetchable(url: string): boolean {
  try {
    const { protocol, username, password } = new URL(url);
    return /^https?:$/.test(protocol) && username === "" && password === "";
  } catch {
    return false;
  }
}
