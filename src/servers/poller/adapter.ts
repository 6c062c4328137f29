import type { z } from "zod";

/** A server to ask: `options` as stored in `adapter_options`, not yet checked. */
export interface Target {
  readonly id: string;
  readonly address: string | null;
  readonly options: Record<string, unknown>;
}

/** What a server told of itself: each a non-negative safe integer, or null where it does not tell. */
export interface Figures {
  readonly online: number | null;
  readonly queue: number | null;
  readonly max_online: number | null;
}

/** `missed` carries the reason in words that an operator can act on. */
export type Answer =
  | { readonly kind: "answered"; readonly figures: Figures }
  | { readonly kind: "missed"; readonly reason: string };

/** One way to ask servers for their figures. */
export interface Adapter {
  /** Checks stored options; a message tells an operator what is wrong. */
  readonly options: z.ZodType;

  /**
   * Targets with the same key are asked together, by one fetch.
   * @throws Error when there is nothing to ask, in words that an operator can act on
   */
  groupOf(target: Target): string;

  /**
   * Asks all targets of a group and answers for each of them, by id. Resolves within their time limit (the longest
   * of the group) or soon after `signal` aborts, whatever the peer does. Never rejects: what goes wrong is a miss.
   */
  ask(targets: readonly Target[], signal: AbortSignal): Promise<Map<string, Answer>>;
}
