import type { History } from "./history/ranges.ts";

/** Why a bucket has no figures; measured where it has. */
export type BucketState = "measured" | "offline" | "not_measured";

/** A bucket of the history, or a run of buckets without figures for the same reason. */
export interface FigureRow {
  from: Date;
  to: Date;
  state: BucketState;
  online: number | null;
  lowest: number | null;
  highest: number | null;
  queue: number | null;
  up: number | null;
}

/** The exact figures of every bucket; adjacent buckets without figures share a row. */
export function tableOfFigures(times: number[], intervalS: number, history: History): FigureRow[] {
  const rows: FigureRow[] = [];
  times.forEach((time, place) => {
    const state = stateOf(history.up[place] ?? null, history.online[place] ?? null);
    const to = new Date((time + intervalS) * 1000);
    const last = rows.at(-1);
    if (last && state !== "measured" && last.state === state) {
      last.to = to;
      return;
    }
    rows.push({
      from: new Date(time * 1000),
      to,
      state,
      online: history.online[place] ?? null,
      lowest: history.onlineMin[place] ?? null,
      highest: history.onlineMax[place] ?? null,
      queue: history.queue[place] ?? null,
      up: history.up[place] ?? null,
    });
  });
  return rows;
}

function stateOf(up: number | null, online: number | null): BucketState {
  if (online !== null) return "measured";
  if (up === null) return "not_measured";
  return up === 0 ? "offline" : "measured";
}
