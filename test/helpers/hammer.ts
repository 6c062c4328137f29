import { setTimeout as delay } from "node:timers/promises";

/** What one call was answered, in the order of the answers. */
export interface Hit {
  /** Milliseconds since the first call. */
  readonly at: number;
  readonly status: number;
  /** From RateLimit: calls that are left, and seconds until there are more. */
  readonly r: number;
  readonly t: number;
  readonly retryAfter: number;
}

/** Calls a path again and again at an even rate, each time by a new connection, whatever the answers. */
export async function hammer(
  url: string,
  headers: Record<string, string>,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<Hit[]> {
  const began = performance.now();
  const hits: Hit[] = [];
  const ask = async () => {
    const answer = await fetch(url, { headers: { ...headers, Connection: "close" } }).catch(() => undefined);
    if (!answer) return;
    await answer.arrayBuffer();
    const [, r, t] = /r=(\d+);t=(\d+)/.exec(answer.headers.get("ratelimit") ?? "") ?? [];
    const retryAfter = Number(answer.headers.get("retry-after"));
    hits.push({
      at: performance.now() - began,
      status: answer.status,
      r: Number(r),
      t: Number(t),
      retryAfter,
    });
  };
  const asked: Promise<void>[] = [];
  for (let call = 0; call < perSecond * seconds; call += 1) {
    await delay(Math.max(0, began + (call * 1000) / perSecond - performance.now()));
    asked.push(ask());
  }
  await Promise.all(asked);
  return hits;
}

/** How many calls were answered with a status. */
export function countOf(hits: readonly Hit[], status: number): number {
  return hits.filter((hit) => hit.status === status).length;
}
