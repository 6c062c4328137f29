import { toCount } from "../adapter.ts";

/**
 * The length of the queue, from what gamedig leaves in `raw`; null where the server reports none. 0 is only returned
 * where the server sent it.
 *
 * - FiveM and RedM: `sv_queueCount` in the server's `/info.json`, a convention of queue resources; some write a text
 *   such as `Queue: 12 in queue`.
 * - DayZ: the tag `lqs<number>` of A2S_INFO (https://developer.valvesoftware.com/wiki/Server_queries, "Keywords"),
 *   as gamedig's protocols/dayz.js reads it.
 * - Rust: the tag `qp<number>` there, beside `cp` (current players) and `mp` (maximum).
 * - Squad: `PublicQueue_I` and `ReservedQueue_I`, attributes of its session or rules of the older query.
 * - Anything with a plain `queue`, such as master lists.
 */
export function queueOf(raw: unknown): number | null {
  if (!isRecord(raw)) return null;
  const info = isRecord(raw.info) ? raw.info.vars : undefined;
  const places = [raw, raw.vars, info].filter(isRecord);
  return (
    firstOf(places, fromVariables) ?? fromTags(raw.tags) ?? fromSquad(raw.attributes) ?? fromSquad(raw.rules)
  );
}

function fromVariables(variables: Record<string, unknown>): number | null {
  const named = ["sv_queuecount", "sv_queue", "queue", "queuecount", "queue_count"];
  const entries = Object.entries(variables).map(([key, value]) => [key.toLowerCase(), value] as const);
  return firstOf(named, (name) => fromText(entries.find(([key]) => key === name)?.[1]));
}

/** A number, or the only number in a text (`12 in queue`); two numbers are ambiguous. */
function fromText(value: unknown): number | null {
  if (typeof value !== "string") return toCount(value);
  const [only, ...others] = value.slice(0, 200).match(/[-+]?\d+(?:[.,]\d+)*/g) ?? [];
  return others.length === 0 ? toCount(only) : null;
}

function fromTags(tags: unknown): number | null {
  if (!Array.isArray(tags)) return null;
  return firstOf(tags, (tag) => toCount(/^(?:lqs|qp)(\d+)$/.exec(String(tag).trim())?.[1]));
}

/** Squad has a public queue and one for reserved places. */
function fromSquad(values: unknown): number | null {
  if (!isRecord(values)) return null;
  const [open, reserved] = [/^publicqueue_[il]$/i, /^reservedqueue_[il]$/i].map((name) =>
    toCount(Object.entries(values).find(([key]) => name.test(key))?.[1]),
  );
  return open === null || open === undefined ? null : open + (reserved ?? 0);
}

function firstOf<T>(candidates: readonly T[], read: (candidate: T) => number | null): number | null {
  for (const candidate of candidates) {
    const found = read(candidate);
    if (found !== null) return found;
  }
  return null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
