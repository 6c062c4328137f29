import { INTERVAL_S } from "./history.ts";

/** Consecutive places of the grid, `end` exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** The longest runs of entries that satisfy a condition, in order. */
export function findSpans<Entry>(entries: Entry[], holds: (entry: Entry) => boolean): Span[] {
  const spans: Span[] = [];
  entries.forEach((entry, place) => {
    if (!holds(entry)) return;
    const last = spans.at(-1);
    if (last?.end === place) last.end = place + 1;
    else spans.push({ start: place, end: place + 1 });
  });
  return spans;
}

/** `14:05–14:30 UTC`: when a span of the grid begins and ends. */
export function spanText(span: Span, times: number[]): string {
  const start = times[span.start] ?? 0;
  const end = start + (span.end - span.start) * INTERVAL_S;
  return `${clock(start)}–${clock(end)} UTC`;
}

/** `14:05` of an epoch time in seconds, in UTC. */
export function clock(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(11, 16);
}
