/** How times are written, in one language and one time zone: the same on the server and in the browser. */
export interface TimeTexts {
  /** `21 Nov 2026, 19:50 UTC+5:45`: as the clocks there were at that time. A line breaks after the comma only. */
  timeText(at: Date): string;
  /** `21 Nov 2026`, all on one line. */
  dateText(at: Date): string;
  /** `UTC+5:45`; the zone names that Intl shortens (CST, IST) mean several zones each. */
  offsetText(at: Date): string;
}

/** `locale` and `timeZone` as Intl takes them. */
export function writeTimes(locale: string, timeZone: string): TimeTexts {
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone });
  const dateOnly = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone });
  // Always of English: other languages have words of their own for the offset.
  const offsets = new Intl.DateTimeFormat("en-GB", { timeZoneName: "shortOffset", timeZone });
  const offsetText = (at: Date) => {
    const name = offsets
      .formatToParts(at)
      .find(({ type }) => type === "timeZoneName") as Intl.DateTimeFormatPart;
    return name.value.replace(/^GMT(\+0$)?/, "UTC");
  };
  return {
    timeText: (at) => unbroken(`${dateTime.format(at)} ${offsetText(at)}`),
    dateText: (at) => unbroken(dateOnly.format(at)),
    offsetText,
  };
}

/** A day without its year, or an hour without its zone, is read as the whole at the end of a line. */
function unbroken(text: string): string {
  return text.replace(/\s/g, "\u00a0").replace(",\u00a0", ", ");
}
