/** Consecutive buckets of the grid, `end` exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** The runs of entries that satisfy a condition, in order. */
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

/** A stretch of time in epoch seconds, `to` exclusive. */
export interface Period {
  from: number;
  to: number;
}

/** When a span of the grid begins and ends. */
export function computePeriod({ start, end }: Span, times: number[], intervalS: number): Period {
  const from = times[start] ?? 0;
  return { from, to: from + (end - start) * intervalS };
}
