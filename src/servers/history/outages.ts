import type { Observation } from "./queries.ts";

/**
 * Polls of a server that has been offline for long are up to an hour apart. Where nothing is known for longer than
 * this, nobody can say that an outage went on.
 */
const LONGEST_PAUSE_S = 75 * 60;

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
 */
export function findOutages(observations: readonly Observation[], now: number): Outage[] {
  const outages: { from: number; to: number | null }[] = [];
  let open: { from: number; to: number | null } | undefined;
  /** The last moment of which is known that it was offline. */
  let lastDown = 0;
  const close = (at: number) => {
    if (open) open.to = at;
    open = undefined;
  };
  for (const { start, lengthS, known, up } of observations) {
    if (open && start - lastDown > LONGEST_PAUSE_S) close(lastDown);
    const downS = (lengthS * (known - up)) / known;
    if (up > 0 && open) close(start + downS);
    else if (up < known && !open) {
      open = { from: start + lengthS - downS, to: null };
      outages.push(open);
    }
    if (open) lastDown = start + lengthS;
  }
  if (now - lastDown > LONGEST_PAUSE_S) close(lastDown);
  return outages.map(({ from, to }) => ({ from: asDate(from), to: to === null ? null : asDate(to) }));
}

function asDate(seconds: number): Date {
  return new Date(Math.round(seconds * 1000));
}
