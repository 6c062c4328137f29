import type { Adapter, Answer, Target } from "./adapter.ts";

/** At this share of its time limit an adapter is told to come to an end with what it has. */
const WARNING = 0.9;

/**
 * Asks the targets of one group, and ends with the time limit whatever the adapter does: by then they are missed.
 * Resolves to no answers when `ended` aborts, which says nothing about the servers.
 * @throws whatever the adapter throws, which is its own fault and no server's
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

/** Tells the adapter to stop when its time is nearly up, and stops waiting for it when it is. */
function cutOff(asking: AbortController, ended: AbortSignal, limitMs: number) {
  let cancel = () => {};
  const reached = new Promise<"ended" | "overdue">((resolve) => {
    const stop = () => resolve("ended");
    const limit = setTimeout(() => asking.abort(), limitMs * WARNING);
    const grace = setTimeout(() => resolve("overdue"), limitMs);
    ended.addEventListener("abort", stop, { once: true });
    cancel = () => {
      clearTimeout(limit);
      clearTimeout(grace);
      ended.removeEventListener("abort", stop);
    };
  });
  return { reached, cancel: () => cancel() };
}

function missAll(targets: readonly Target[], limitMs: number): Map<string, Answer> {
  const reason = `no answer within ${limitMs / 1000} s`;
  return new Map(targets.map(({ id }) => [id, { kind: "missed", reason }]));
}
