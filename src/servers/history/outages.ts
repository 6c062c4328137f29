import type { Observation } from "./queries.ts";

const WEEK_S = 7 * 86_400;
/**
 * Seconds without a measurement after which an outage counts as ended. Polls are at most five minutes apart. After a
 * week offline, and with many imports, they are an hour apart.
 */
const LONGEST_PAUSE_S = { polled: 16 * 60, rarely: 75 * 60 } as const;

/** A time when a server was offline; `to` is null while it still is. */
export interface Outage {
  from: Date;
  to: Date | null;
}

/**
 * A server's outages, oldest first. An outage begins with the first poll that finds the server offline and ends with
 * the first that finds it online, or with the last before a gap. In a span with both states, an open outage takes the
 * first part and a new one the last. Its length is exact, its time as exact as the span.
 * @param observations in order; those that found the server online are needed only after one that did not
 * @param now epoch seconds
 * @param polled whether this site polls the server
 */
export function findOutages(
  observations: readonly Observation[],
  { now, polled }: { now: number; polled: boolean },
): Outage[] {
  const outages: { from: number; to: number | null }[] = [];
  let open: { from: number; to: number | null } | undefined;
  /** The last time it was known to be offline. */
  let lastDown = 0;
  const close = (at: number) => {
    if (open) open.to = at;
    open = undefined;
  };
  const isTooLong = (until: number) => {
    const isRare = !polled || (open !== undefined && lastDown - open.from > WEEK_S);
    return until - lastDown > LONGEST_PAUSE_S[isRare ? "rarely" : "polled"];
  };
  for (const { start, lengthS, known, up } of observations) {
    if (open && isTooLong(start)) close(lastDown);
    const downS = (lengthS * (known - up)) / known;
    if (up > 0 && open) close(start + downS);
    else if (up < known && !open) {
      open = { from: start + lengthS - downS, to: null };
      outages.push(open);
    }
    if (open) lastDown = start + lengthS;
  }
  if (isTooLong(now)) close(lastDown);
  return outages.map(({ from, to }) => ({ from: asDate(from), to: to === null ? null : asDate(to) }));
}

function asDate(seconds: number): Date {
  return new Date(Math.round(seconds * 1000));
}
