import type { z } from "zod";
import { type EgressPolicy, NotPublicError } from "../../web/egress/policy.ts";
import { parseZodMessage, translateText } from "../../words/i18n/lazy-text.ts";

/** A server to poll: `options` as stored in `adapter_options`, not yet checked. */
export interface Target {
  readonly id: string;
  readonly address: string | null;
  readonly options: Record<string, unknown>;
}

/** What a server reports: non-negative safe integers, or null for what it does not report. */
export interface Figures {
  /** People. Includes bots only if the server's options say so. */
  readonly online: number | null;
  readonly bots: number | null;
  readonly queue: number | null;
  readonly max_online: number | null;
}

/**
 * Details of a server in addition to its figures. Pages show them while the server is online, and no history has
 * them.
 */
export interface Details {
  readonly map: string | null;
  readonly version: string | null;
  readonly country: string | null;
  /** Names of players, if the responses with the counts contain them. */
  readonly players: readonly string[];
}

/** `reason` is written for an operator. */
export type Answer =
  | {
      readonly kind: "answered";
      readonly figures: Figures;
      readonly details?: Details;
      /** What the server calls itself. */
      readonly name?: string;
    }
  | { readonly kind: "missed"; readonly reason: string }
  /** The site may not connect to `place`, an address with its port, so the server's state stays unknown. */
  | { readonly kind: "refused"; readonly place: string };

/** One way to poll servers for their figures. */
export interface Adapter {
  /** Checks stored options; its messages are written for an operator. */
  readonly options: z.ZodType;

  /**
   * Targets with the same key share one fetch.
   * @throws Error written for an operator if the target is incomplete
   */
  groupOf(target: Target): string;

  /**
   * Polls all targets of a group; returns an answer for each id. Resolves within the longest time limit of the group or
   * soon after `signal` aborts, whatever the peer does. Never rejects: a failure is a miss. Connects to no address that
   * `egress` does not allow.
   */
  ask(targets: readonly Target[], signal: AbortSignal, egress: EgressPolicy): Promise<Map<string, Answer>>;
}

export type Adapters = Readonly<Record<string, Adapter>>;

/** All figures are unknown. */
export const NO_FIGURES: Figures = { online: null, bots: null, queue: null, max_online: null };

/** A non-negative safe integer, or digits that spell one; null for anything else. */
export function toCount(value: unknown): number | null {
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isSafeInteger(number) || number < 0) return null;
  return number + 0; // -0 becomes 0
}

/** Why there is no answer, written for an operator. */
export class Miss extends Error {}

/** Converts an error to a miss or a refusal. */
export function toMiss(error: unknown): Answer {
  if (error instanceof NotPublicError && error.place !== undefined)
    return { kind: "refused", place: error.place };
  return { kind: "missed", reason: describeError(error) };
}

/** The miss of a server whose stored options are wrong. */
export function missOfOptions(error: z.ZodError): Answer {
  return { kind: "missed", reason: `options: ${issuesText(error)}`.slice(0, 300) };
}

export function issuesText({ issues }: z.ZodError): string {
  const lines = issues.map(({ path, message }) =>
    [path.join("."), translateText(parseZodMessage(message))].filter(Boolean).join(": "),
  );
  return lines.join("; ");
}

/** One line without control characters: the message may hold what a peer wrote. */
function describeError(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  const text = cause instanceof Error ? `${message}: ${cause.message}` : message;
  return text.replace(/[\p{Cc}\s]+/gu, " ").slice(0, 200) || "no reason given";
}
