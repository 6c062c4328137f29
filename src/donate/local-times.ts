import { Temporal } from "temporal-polyfill";
import type { Said } from "../i18n/said.ts";

/** A moment that somebody wrote down, or why there is none; a fault completes the sentence "<label> …". */
export type Moment = { at: Date; isRepeated: boolean; fault?: undefined } | { at?: undefined; fault: Said };

const LOCAL = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?$/;
const WITH_OFFSET = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/i;

/**
 * The moment at which clocks of a zone show a time such as `2026-03-29T14:05`. Where clocks are put forward some times
 * are never shown, which is a fault; where they are put back some are shown twice, of which the first is taken.
 * @param zone IANA name of a zone that is known here
 */
export function readLocalTime(text: string, zone: string): Moment {
  const time = parseLocal(text);
  if (!time) return { fault: { key: "operator.fault.local_time", values: {} } };
  const [first, last] = [
    time.toZonedDateTime(zone, { disambiguation: "earlier" }),
    time.toZonedDateTime(zone, { disambiguation: "later" }),
  ];
  if (!first.toPlainDateTime().equals(time)) return { fault: describeGap(first, zone) };
  return momentAt(first.epochMilliseconds, !first.equals(last));
}

/** A time with its offset (`2026-01-31T18:00:00+02:00`, `…Z`), or a local one where a zone is told. */
export function readTimeIn(text: string, zone: string | undefined): Moment {
  if (WITH_OFFSET.test(text)) return readWithOffset(text);
  if (zone !== undefined) return readLocalTime(text, zone);
  if (!LOCAL.test(text)) return { fault: { key: "operator.fault.time", values: {} } };
  return { fault: { key: "operator.fault.no_zone", values: {} } };
}

/** `2026-03-29T14:05`: what clocks of a zone show, to the minute, as inputs of HTML want it. */
export function toLocalTime(at: Date, zone: string): string {
  const zoned = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);
  return zoned.toPlainDateTime().toString({ smallestUnit: "minute" });
}

/** By how many minutes the clocks of a zone are set another way at the end of a period than at its start. */
export function clockShift(from: Date, to: Date, zone: string): number {
  return offsetAt(to, zone) - offsetAt(from, zone);
}

/** Four digits are all that a year has in ISO 8601, in JSON and in inputs of HTML. */
function momentAt(milliseconds: number, isRepeated: boolean): Moment {
  const at = new Date(milliseconds);
  if (at.getUTCFullYear() <= 9999) return { at, isRepeated };
  return { fault: { key: "operator.fault.far_future", values: {} } };
}

function parseLocal(text: string): Temporal.PlainDateTime | undefined {
  if (!LOCAL.test(text)) return undefined;
  try {
    return Temporal.PlainDateTime.from(text.replace(" ", "T"));
  } catch {
    return undefined;
  }
}

function readWithOffset(text: string): Moment {
  try {
    const instant = Temporal.Instant.from(text.replace(" ", "T"));
    return momentAt(instant.epochMilliseconds, false);
  } catch {
    return { fault: { key: "operator.fault.time", values: {} } };
  }
}

/** @param before the moment that lies as far before the gap as the time that was asked for lies in it */
function describeGap(before: Temporal.ZonedDateTime, zone: string): Said {
  const after = before.getTimeZoneTransition("next");
  if (!after) return { key: "operator.fault.no_such_time", values: { zone } };
  // What clocks would have shown at the same moment, had nobody put them forward.
  const old = after.toInstant().toZonedDateTimeISO(before.offset).toPlainDateTime();
  const now = after.toPlainDateTime();
  const isSameDay = old.toPlainDate().equals(now.toPlainDate());
  const show = (time: Temporal.PlainDateTime) =>
    isSameDay
      ? time.toString({ smallestUnit: "minute" }).slice(11)
      : time.toString({ smallestUnit: "minute" }).replace("T", " ");
  return { key: "operator.fault.gap", values: { zone, from: show(old), to: show(now) } };
}

/** In minutes. */
function offsetAt(at: Date, zone: string): number {
  const zoned = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);
  return zoned.offsetNanoseconds / 60e9;
}
