import { z } from "zod";

/**
 * Everything that reads a time of somebody else's comes to `timeAt`: Postgres has no year 0, and years of ISO 8601, JSON
 * and HTML have four digits. Other times can be stored, but not written or read again everywhere.
 */
const FIRST = Date.parse("0001-01-01T00:00:00Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");
const DAY_MS = 86_400_000;

const DAY = z.regexes.date;
const FORMS = [DAY, ...[undefined, -1].map((precision) => z.regexes.datetime({ offset: true, precision }))];

/** A day, or a time with its zone and seconds or not, as ISO 8601 writes them. */
export const ISO_TIME = new RegExp(`^(?:${FORMS.map(({ source }) => source.slice(1, -1)).join("|")})$`);

/** The time so many milliseconds after 1970; undefined outside of the years 1 to 9999 of UTC. */
export function timeAt(milliseconds: number): Date | undefined {
  return milliseconds >= FIRST && milliseconds <= LAST ? new Date(milliseconds) : undefined;
}

/** An ISO 8601 time with its zone, or midnight of a day in UTC; undefined for any other text. */
export function readIsoTime(text: string): Date | undefined {
  return ISO_TIME.test(text) ? timeAt(Date.parse(text)) : undefined;
}

/** A day of the calendar, such as `2026-01-31`, as its midnight in UTC; undefined for any other text. */
export function readDay(text: string): Date | undefined {
  return DAY.test(text) ? readIsoTime(text) : undefined;
}

/** Midnight in UTC after a day; undefined where the next day would be in the year 10000. */
export function endOfDay(text: string): Date | undefined {
  const day = readDay(text);
  return day && timeAt(day.getTime() + DAY_MS);
}

/** The last millisecond in UTC of a day that something ends on; undefined for any other text. */
export function lastOfDay(text: string): Date | undefined {
  const day = readDay(text);
  return day && timeAt(day.getTime() + DAY_MS - 1);
}
