import type { Observation } from "./queries.ts";

const WEEK_S = 7 * 86_400;
/**
 * Where nothing is known for longer than this, nobody can say that an outage went on. Polls are five minutes apart at
 * most, and of a server that has been offline for a week an hour, as are many imports.
 */
const LONGEST_PAUSE_S = { polled: 16 * 60, rarely: 75 * 60 } as const;

/** A time in which a server was offline; `to` is null while it still is. */
export interface Outage {
  from: Date;
  to: Date | null;
}

/**
 * The outages in what is known of a server, oldest first. One begins with the first poll that finds the server
 * offline and ends with the first that finds it online again, or with the last one before nobody asked any more.
 * Of a span in which it was offline for a part, an outage that goes on takes the first part, a new one the last: how
 * long it was is exact, and when only as exact as the span.
 * @param observations in order; what found the server online is needed only where something else came before
 * @param now epoch seconds
 * @param polled whether this site asks the server itself
 */
export function findOutages(
  observations: readonly Observation[],
  { now, polled }: { now: number; polled: boolean },
): Outage[] {
  const outages: { from: number; to: number | null }[] = [];
  let open: { from: number; to: number | null } | undefined;
  /** The last moment of which is known that it was offline. */
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
