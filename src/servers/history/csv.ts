import type { History } from "./ranges.ts";

const HEADER = ["time", "online", "online_min", "online_max", "queue", "queue_max", "up"];

/**
 * A history as CSV (RFC 4180): a line for each bucket with the time of its start in UTC; what is not known is empty,
 * and `up` is a share of 0 to 1. Cells hold numbers and times alone, nothing that a spreadsheet could take for a
 * formula.
 * @param times starts of the buckets, in epoch seconds
 */
export function historyCsv(times: readonly number[], history: History): string {
  const { online, onlineMin, onlineMax, queue, queueMax, up } = history;
  const lines = times.map((time, place) => [
    new Date(time * 1000).toISOString(),
    ...[online, onlineMin, onlineMax, queue, queueMax].map((column) => column[place] ?? ""),
    shareText(up[place] ?? null),
  ]);
  return [HEADER, ...lines].map((cells) => `${cells.join(",")}\r\n`).join("");
}

/** To a hundredth of a percent. */
function shareText(share: number | null): string {
  return share === null ? "" : String(Math.round(share * 10_000) / 10_000);
}
