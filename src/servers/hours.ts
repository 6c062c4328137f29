import { clock } from "./spans.ts";

const HOUR_S = 3600;

/** One hour of the table of figures: a cell for each bucket, undefined for those outside of the 24 hours. */
export interface Hour {
  /** Start of the hour in epoch seconds. */
  start: number;
  label: string;
  cells: (Cell | undefined)[];
}

/** One bucket's figure: a count, or why there is none. */
export type Cell = number | "offline" | "not measured" | "not told";

/** Starts of a table's columns: minutes of an hour. */
export function minuteLabels(intervalS: number): string[] {
  return Array.from({ length: HOUR_S / intervalS }, (_, place) => `:${clock(place * intervalS).slice(3)}`);
}

/**
 * Every bucket's figure, exactly, an hour a row. `up` tells apart why a count is missing: the server was offline, or
 * nobody measured it, or it was online and did not tell.
 */
export function tableOfHours(
  times: number[],
  counts: (number | null)[],
  up: (boolean | null)[],
  intervalS: number,
): Hour[] {
  const hours: Hour[] = [];
  times.forEach((time, place) => {
    const start = time - (time % HOUR_S);
    let hour = hours.at(-1);
    if (hour?.start !== start) {
      hour = { start, label: clock(start), cells: new Array(HOUR_S / intervalS).fill(undefined) };
      hours.push(hour);
    }
    hour.cells[(time - start) / intervalS] = cellOf(counts[place] ?? null, up[place] ?? null);
  });
  return hours;
}

function cellOf(count: number | null, up: boolean | null): Cell {
  if (count !== null) return count;
  if (up === null) return "not measured";
  return up ? "not told" : "offline";
}
