/** Formats times in one language and one time zone, the same way on the server and in the browser. */
export interface TimeTexts {
  /** `21 Nov 2026, 19:50 UTC+5:45`, with the zone's offset at that time. A line breaks only after the comma. */
  timeText(at: Date): string;
  /** `21 Nov 2026`, all on one line. */
  dateText(at: Date): string;
  /**
   * `14:05–14:30 UTC+3`; with the days if they are not clear (`21 Nov 14:05 – 22 Nov 03:00 UTC+3`), and with the years
   * if they differ. With `withDays`, even a short period has its day.
   */
  periodText(from: Date, to: Date, withDays: boolean): string;
  /** `UTC+5:45`; Intl's short zone names (CST, IST) are ambiguous. */
  offsetText(at: Date): string;
}

/** `locale` and `timeZone` as Intl takes them. */
export function writeTimes(locale: string, timeZone: string): TimeTexts {
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone });
  const dateOnly = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone });
  // Always in English: other languages write the offset differently.
  const offsets = new Intl.DateTimeFormat("en-GB", { timeZoneName: "shortOffset", timeZone });
  const offsetText = (at: Date) => {
    const name = offsets
      .formatToParts(at)
      .find(({ type }) => type === "timeZoneName") as Intl.DateTimeFormatPart;
    return name.value.replace(/^GMT(\+0$)?/, "UTC");
  };
  const periodText = writePeriods(locale, timeZone, offsetText);
  return {
    periodText,
    timeText: (at) => unbroken(`${dateTime.format(at)} ${offsetText(at)}`),
    dateText: (at) => unbroken(dateOnly.format(at)),
    offsetText,
  };
}

/** Within the last 24 hours, a shorter period is clear without its day. */
const PLAIN_MS = 12 * 3_600_000;

function writePeriods(
  locale: string,
  timeZone: string,
  offsetText: TimeTexts["offsetText"],
): TimeTexts["periodText"] {
  const clocks = new Intl.DateTimeFormat("en-GB", { timeStyle: "short", timeZone });
  const days = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone });
  const years = new Intl.DateTimeFormat("en-GB", { year: "numeric", timeZone });
  return (from, to, withDays) => {
    const [begins, ends, zone] = [clocks.format(from), clocks.format(to), offsetText(to)];
    // If the clocks change in between, each end has its own offset.
    const own = offsetText(from) === zone ? "" : ` ${offsetText(from)}`;
    if (!withDays && +to - +from < PLAIN_MS) return `${begins}${own}–${ends} ${zone}`;
    const hasOneYear = years.format(from) === years.format(to);
    const dayOf = (at: Date) => (hasOneYear ? days.format(at) : `${days.format(at)} ${years.format(at)}`);
    if (dayOf(from) === dayOf(to)) return `${dayOf(from)} ${begins}${own}–${ends} ${zone}`;
    return `${dayOf(from)} ${begins}${own} – ${dayOf(to)} ${ends} ${zone}`;
  };
}

/** Keeps date and time on one line each, so that a day is not separated from its year or a time from its zone. */
function unbroken(text: string): string {
  return text.replace(/\s/g, "\u00a0").replace(",\u00a0", ", ");
}
