import { Temporal } from "temporal-polyfill";
import { FRAME } from "../charts/axes.ts";
import { intlLocale, type Language } from "../i18n/languages.ts";

/** A place on the axis of time. */
export interface PriceTick {
  /** Epoch milliseconds. */
  time: number;
  text: string;
  /** Hidden on narrow screens. */
  isMinor: boolean;
}

type Unit = "hour" | "day" | "month";

/** What to mark in a span of up to so many hours. */
const STEPS: readonly { upToHours: number; unit: Unit; every: number }[] = [
  { upToHours: 8, unit: "hour", every: 1 },
  { upToHours: 48, unit: "hour", every: 6 },
  { upToHours: 9 * 24, unit: "day", every: 1 },
  { upToHours: 20 * 24, unit: "day", every: 2 },
  { upToHours: 70 * 24, unit: "day", every: 7 },
  { upToHours: 400 * 24, unit: "month", every: 1 },
  { upToHours: Number.POSITIVE_INFINITY, unit: "month", every: 3 },
];

/** Labels closer to an edge than this share of the width would be cut off. */
const EDGE = 30 / FRAME.width;

/**
 * Round times of a zone's clocks between two moments: hours, midnights or first days of months. Days are 23 or 25 hours
 * long when clocks change.
 */
export function chooseTicks(from: number, to: number, timeZone: string, language: Language): PriceTick[] {
  const hours = (to - from) / 3_600_000;
  const { unit, every } = STEPS.find(({ upToHours }) => hours <= upToHours) ?? { unit: "month", every: 3 };
  const textOf = textsOf(unit, timeZone, language);
  const [first, last] = [from + (to - from) * EDGE, to - (to - from) * EDGE];
  const ticks: PriceTick[] = [];
  let at = floor(Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(timeZone), unit, every);
  for (; at.epochMilliseconds <= last; at = at.add({ [`${unit}s`]: every })) {
    const time = at.epochMilliseconds;
    // Among hours, midnights are never minor.
    const isMinor = unit === "hour" ? (at.hour / every) % 2 === 1 : ticks.length % 2 === 1;
    if (time >= first) ticks.push({ time, text: textOf(at), isMinor });
  }
  return ticks;
}

const LABELS: Record<Unit, Intl.DateTimeFormatOptions> = {
  hour: { hour: "2-digit", minute: "2-digit" },
  day: { day: "numeric", month: "short" },
  month: { month: "short" },
};

/** Labels of ticks: midnights show the date among hours, Januaries the year among months. */
function textsOf(unit: Unit, timeZone: string, language: Language): (at: Temporal.ZonedDateTime) => string {
  const of = (which: Unit) => new Intl.DateTimeFormat(intlLocale(language), { ...LABELS[which], timeZone });
  const [texts, days] = [of(unit), of("day")];
  return (at) => {
    if (unit === "month" && at.month === 1) return String(at.year);
    const isMidnight = unit === "hour" && at.equals(at.startOfDay());
    return (isMidnight ? days : texts).format(at.epochMilliseconds);
  };
}

/** The last round time before or at `time`. */
function floor(time: Temporal.ZonedDateTime, unit: Unit, every: number): Temporal.ZonedDateTime {
  if (unit === "month")
    return time.with({ month: time.month - ((time.month - 1) % every), day: 1 }).startOfDay();
  if (unit === "day") return time.startOfDay();
  return time.startOfDay().add({ hours: Math.floor(time.hour / every) * every });
}
