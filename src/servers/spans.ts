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
export function periodOf({ start, end }: Span, times: number[], intervalS: number): Period {
  const from = times[start] ?? 0;
  return { from, to: from + (end - start) * intervalS };
}

const DAY_S = 86_400;
/** Within the last 24 hours, a shorter period is clear without its day. */
const PLAIN_S = DAY_S / 2;

/**
 * `14:05–14:30 UTC`; with the days where they are not clear (`21 Nov 14:05 – 22 Nov 03:00 UTC`), and with the years
 * where they differ. `locale` is Intl's name of the language.
 */
export function periodText({ from, to }: Period, withDays: boolean, locale: string): string {
  if (!withDays && to - from < PLAIN_S) return `${clock(from)}–${clock(to)} UTC`;
  if (Math.floor(from / DAY_S) === Math.floor(to / DAY_S))
    return `${day(from, locale)} ${clock(from)}–${clock(to)} UTC`;
  const dayOf = (time: number) =>
    yearOf(from) === yearOf(to) ? day(time, locale) : `${day(time, locale)} ${yearOf(time)}`;
  return `${dayOf(from)} ${clock(from)} – ${dayOf(to)} ${clock(to)} UTC`;
}

function yearOf(seconds: number): number {
  return new Date(seconds * 1000).getUTCFullYear();
}

/** A format is slow to make, and a year may have hundreds of periods. */
const days = new Map<string, Intl.DateTimeFormat>();

/** `21 Nov` of an epoch time in seconds, in UTC. */
export function day(seconds: number, locale: string): string {
  const format =
    days.get(locale) ?? new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });
  days.set(locale, format);
  return format.format(new Date(seconds * 1000));
}

/** `14:05` of an epoch time in seconds, in UTC. */
export function clock(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(11, 16);
}
