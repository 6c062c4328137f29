import type { LoadGenerator, LoadOrder, LoadResult } from "./load.ts";

const WARM_UP_SECONDS = 1;

/** The requests for one server; the rest of the order is the same for all that are compared. */
export type Workload = Pick<LoadOrder, "port" | "paths" | "cookie" | "unique"> & { readonly name: string };

export interface Measured {
  readonly name: string;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/**
 * Measures several workloads in turn, in several rounds, and takes the median of each figure, so a slow phase of the
 * machine affects all of them. Each round continues in a workload's paths where the previous one ended. A first short
 * round warms up and does not count.
 */
export async function measureInTurn(
  generator: LoadGenerator,
  workloads: readonly Workload[],
  { connections, seconds, rounds }: { connections: number; seconds: number; rounds: number },
): Promise<Measured[]> {
  const asked = workloads.map(() => 0);
  const results: LoadResult[][] = workloads.map(() => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [n, workload] of workloads.entries()) {
      const share = round === 0 ? Math.min(WARM_UP_SECONDS, seconds / rounds) : seconds / rounds;
      const result = await generator.run({ ...workload, from: asked[n], connections, seconds: share });
      asked[n] = (asked[n] ?? 0) + result.requests;
      if (round > 0) results[n]?.push(result);
    }
  }
  return workloads.map(({ name }, n) => summarise(name, results[n] ?? []));
}

function summarise(name: string, results: readonly LoadResult[]): Measured {
  const middle = (field: "perSecond" | "p50" | "p95" | "p99") =>
    median(results.map((result) => result[field]));
  return {
    name,
    perSecond: middle("perSecond"),
    p50: middle("p50"),
    p95: middle("p95"),
    p99: middle("p99"),
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  if (Number.isInteger(middle)) return ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
  return sorted[Math.floor(middle)] ?? 0;
}
