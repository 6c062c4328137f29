import type * as polyfill from "temporal-polyfill";
import type { Temporal } from "temporal-polyfill";
import { lazyPackage } from "../../settings/lazy-package.ts";
import { type LazyText, lazyText } from "../i18n/lazy-text.ts";
import { timeAt } from "./time.ts";

export const loadTemporal = lazyPackage<typeof polyfill>("temporal-polyfill");

/** A typed moment, or the reason for refusing it; the error completes the sentence "<label> …". */
export type Moment =
  | { at: Date; isRepeated: boolean; error?: undefined }
  | { at?: undefined; error: LazyText };

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const LOCAL = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?$/;
const WITH_OFFSET = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/i;

/** The meaning of a day without a time: its first moment or its last. */
export type DayEdge = "start" | "end";

/**
 * The moment when clocks of a zone show a time such as `2026-03-29T14:05`, or an edge of a day such as `2026-03-29`. A
 * time that clocks skip is an error; of a time that they show twice, the first counts.
 * @param zone IANA name that this system knows
 */
export function readLocalTime(text: string, zone: string, edge: DayEdge = "start"): Moment {
  const day = parseDay(text);
  if (day) return momentAt(computeEdge(day, zone, edge), false);
  const time = parseLocal(text);
  if (!time) return { error: lazyText("operator.error.local_time") };
  const [first, last] = [
    time.toZonedDateTime(zone, { disambiguation: "earlier" }),
    time.toZonedDateTime(zone, { disambiguation: "later" }),
  ];
  if (!first.toPlainDateTime().equals(time)) return { error: describeGap(first, zone) };
  return momentAt(first.epochMilliseconds, !first.equals(last));
}

/**
 * A time with its offset (`2026-01-31T18:00:00+02:00`, `…Z`), or a local one if a zone is given. Without a zone, a day
 * is one of UTC, as in imports.
 */
export function readTimeIn(text: string, zone: string | undefined, edge: DayEdge = "start"): Moment {
  if (WITH_OFFSET.test(text)) return readWithOffset(text);
  if (zone !== undefined || DAY.test(text)) return readLocalTime(text, zone ?? "UTC", edge);
  if (!LOCAL.test(text)) return { error: lazyText("operator.error.time") };
  return { error: lazyText("operator.error.no_zone") };
}

/** `2026-03-29T14:05`: the local time in a zone, in the format of HTML inputs. */
export function toLocalTime(at: Date, zone: string): string {
  const zoned = loadTemporal().Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);
  return zoned.toPlainDateTime().toString({ smallestUnit: "minute" });
}

/** How many minutes the zone's offset changes from the start of a period to its end. */
export function clockShift(from: Date, to: Date, zone: string): number {
  return offsetAt(to, zone) - offsetAt(from, zone);
}

function momentAt(milliseconds: number, isRepeated: boolean): Moment {
  const at = timeAt(milliseconds);
  return at ? { at, isRepeated } : { error: lazyText("operator.error.years") };
}

function parseDay(text: string): Temporal.PlainDate | undefined {
  if (!DAY.test(text)) return undefined;
  try {
    return loadTemporal().Temporal.PlainDate.from(text);
  } catch {
    return undefined;
  }
}

/** A day may begin later than at midnight, if clocks go forward then. */
function computeEdge(day: Temporal.PlainDate, zone: string, edge: DayEdge): number {
  if (edge === "start") return day.toZonedDateTime(zone).epochMilliseconds;
  return day.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds - 1;
}

function parseLocal(text: string): Temporal.PlainDateTime | undefined {
  if (!LOCAL.test(text)) return undefined;
  try {
    return loadTemporal().Temporal.PlainDateTime.from(text.replace(" ", "T"));
  } catch {
    return undefined;
  }
}

function readWithOffset(text: string): Moment {
  try {
    const instant = loadTemporal().Temporal.Instant.from(text.replace(" ", "T"));
    return momentAt(instant.epochMilliseconds, false);
  } catch {
    return { error: lazyText("operator.error.time") };
  }
}

/** @param before the moment that is as long before the gap as the requested time is after the gap's start */
function describeGap(before: Temporal.ZonedDateTime, zone: string): LazyText {
  const after = before.getTimeZoneTransition("next");
  if (!after) return lazyText("operator.error.no_such_time", { zone });
  // The time that clocks would have shown without the change.
  const old = after.toInstant().toZonedDateTimeISO(before.offset).toPlainDateTime();
  const now = after.toPlainDateTime();
  const isSameDay = old.toPlainDate().equals(now.toPlainDate());
  const show = (time: Temporal.PlainDateTime) =>
    isSameDay
      ? time.toString({ smallestUnit: "minute" }).slice(11)
      : time.toString({ smallestUnit: "minute" }).replace("T", " ");
  return lazyText("operator.error.gap", { zone, from: show(old), to: show(now) });
}

/** In minutes. */
function offsetAt(at: Date, zone: string): number {
  const zoned = loadTemporal().Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);
  return zoned.offsetNanoseconds / 60e9;
}
