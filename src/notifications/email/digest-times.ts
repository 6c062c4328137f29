import type { Temporal } from "temporal-polyfill";
import { loadTemporal } from "../../words/text/local-times.ts";

export const DIGEST_HOUR = 18;

/** The next time of an hour in a zone, and the time since when that has been the next one. */
interface NextHour {
  readonly from: number;
  readonly at: number;
}

/** Cached, because zones and hours are few and one transaction may notify thousands of users. */
const known = new Map<string, NextHour>();

/**
 * When a user's hour comes next after `now`, once on each of the user's days. An hour that clocks skip comes right
 * after the jump; of one that comes twice, the first counts. By UTC if the zone is not set or unknown; at DIGEST_HOUR
 * if no hour was chosen.
 */
export function nextDigestAt(chosen: number | null, timeZone: string | null, now: Date): Date {
  const hour = chosen ?? DIGEST_HOUR;
  const key = `${timeZone} ${hour}`;
  const time = now.getTime();
  let next = known.get(key);
  if (!next || time < next.from || time >= next.at) {
    next = { from: time, at: computeNext(hour, knownZone(timeZone), time) };
    known.set(key, next);
  }
  return new Date(next.at);
}

/** The user's date, `2026-11-22`; by UTC if the zone is not set or unknown. */
export function localDay(time: Date, timeZone: string | null): string {
  return localTime(time.getTime(), knownZone(timeZone)).toPlainDate().toString();
}

/** The hour of the user's day, 0 to 23; by UTC if the zone is not set or unknown. */
function localHour(time: Date, timeZone: string | null): number {
  return localTime(time.getTime(), knownZone(timeZone)).hour;
}

/** Hours of the day, `quietUntil` not included. They may go over midnight. Null without quiet hours. */
interface QuietHours {
  readonly quietFrom?: number | null;
  readonly quietUntil?: number | null;
  /** IANA name; null for UTC. */
  readonly timeZone: string | null;
}

/** The end of a user's quiet hours, or undefined outside of them. */
export function quietUntil(
  { quietFrom: from, quietUntil: until, timeZone }: QuietHours,
  now: Date,
): Date | undefined {
  if (from == null || until == null) return undefined;
  const hour = localHour(now, timeZone);
  const isQuiet = from < until ? hour >= from && hour < until : hour >= from || hour < until;
  return isQuiet ? nextDigestAt(until, timeZone, now) : undefined;
}

function computeNext(hour: number, timeZone: string, now: number): number {
  const today = localTime(now, timeZone).toPlainDate();
  const at = timeOfDay(today, hour, timeZone);
  return at > now ? at : timeOfDay(today.add({ days: 1 }), hour, timeZone);
}

/** In Nuuk clocks jump from 23:00 into the next day, so that evening's hour comes just before. */
function timeOfDay(day: Temporal.PlainDate, hour: number, timeZone: string): number {
  const wall = day.toPlainDateTime({ hour });
  const at = wall.toZonedDateTime(timeZone);
  const isThatDay = at.toPlainDate().equals(day);
  return (isThatDay ? at : wall.toZonedDateTime(timeZone, { disambiguation: "earlier" })).epochMilliseconds;
}

function localTime(time: number, timeZone: string): Temporal.ZonedDateTime {
  return loadTemporal().Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timeZone);
}

/** A zone may be unknown because another version of the time zone database knew it. */
function knownZone(timeZone: string | null): string {
  try {
    if (timeZone !== null) localTime(0, timeZone);
    return timeZone ?? "UTC";
  } catch {
    return "UTC";
  }
}
