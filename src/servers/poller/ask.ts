import { onStop } from "../../repeat.ts";
import type { Adapter, Answer, Target } from "./adapter.ts";

/** The share of its time limit after which an adapter has to return what it has. */
const WARNING = 0.9;

/**
 * Asks the targets of one group; after the time limit they count as missed, whatever the adapter does. Resolves to no
 * answers when `ended` aborts.
 * @throws what the adapter throws: a bug of the adapter
 */
export async function askWithin(
  adapter: Adapter,
  targets: readonly Target[],
  limitMs: number,
  ended: AbortSignal,
): Promise<Map<string, Answer>> {
  if (ended.aborted) return new Map();
  const asking = new AbortController();
  const end = cutOff(asking, ended, limitMs);
  try {
    const answers = await Promise.race([adapter.ask(targets, asking.signal), end.reached]);
    if (answers === "ended" || ended.aborted) return new Map();
    return answers === "overdue" ? missAll(targets, limitMs) : answers;
  } finally {
    end.cancel();
    asking.abort();
  }
}

/** Stops the adapter shortly before its time is up, and the wait for it when it is. */
function cutOff(asking: AbortController, ended: AbortSignal, limitMs: number) {
  let cancel = () => {};
  const reached = new Promise<"ended" | "overdue">((resolve) => {
    const limit = setTimeout(() => asking.abort(), limitMs * WARNING);
    const grace = setTimeout(() => resolve("overdue"), limitMs);
    const forget = onStop(ended, () => resolve("ended"));
    cancel = () => {
      clearTimeout(limit);
      clearTimeout(grace);
      forget();
    };
  });
  return { reached, cancel };
}

function missAll(targets: readonly Target[], limitMs: number): Map<string, Answer> {
  const reason = `no answer within ${limitMs / 1000} s`;
  return new Map(targets.map(({ id }) => [id, { kind: "missed", reason }]));
}
