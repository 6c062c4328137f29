import type { Figures } from "../adapter.ts";

/** No figure told. */
export const NOTHING_TOLD: Figures = { online: null, queue: null, max_online: null };

/**
 * What a server wrote for a number of players: a non-negative safe integer, or digits that spell one. Everything
 * else (negative, fractional, NaN, text, nothing) is null, because a number made up from it would be a lie.
 */
export function toCount(value: unknown): number | null {
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isSafeInteger(number) || number < 0) return null;
  return number + 0; // -0 becomes 0
}
