import type { z } from "zod";
import type { Answer } from "../adapter.ts";

/** A reason for not having an answer, in words that an operator can act on. */
export class Miss extends Error {}

/** The miss that an error stands for. */
export function missOf(error: unknown): Answer {
  return { kind: "missed", reason: reasonOf(error) };
}

/** The miss of a server whose stored options do not fit. */
export function missOfOptions(error: z.ZodError): Answer {
  const issues = error.issues.map(({ path, message }) =>
    [path.join("."), message].filter(Boolean).join(": "),
  );
  return { kind: "missed", reason: `options: ${issues.join("; ")}`.slice(0, 300) };
}

/** What a peer wrote can be in a message: no control characters, and no more than a line. */
function reasonOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  const text = cause instanceof Error ? `${message}: ${cause.message}` : message;
  return text.replace(/[\p{Cc}\s]+/gu, " ").slice(0, 200) || "no reason given";
}
