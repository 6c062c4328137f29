/** Formats times in one language and one time zone, the same way on the server and in the browser. */
export interface TimeTexts {
  /** `21 Nov 2026, 19:50 UTC+5:45`, with the zone's offset at that time. A line breaks only after the comma. */
  timeText(at: Date): string;
  /** `21 Nov 2026`, all on one line. */
  dateText(at: Date): string;
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
  return {
    timeText: (at) => unbroken(`${dateTime.format(at)} ${offsetText(at)}`),
    dateText: (at) => unbroken(dateOnly.format(at)),
    offsetText,
  };
}

/** Keeps date and time on one line each, so that a day is not separated from its year or a time from its zone. */
function unbroken(text: string): string {
  return text.replace(/\s/g, "\u00a0").replace(",\u00a0", ", ");
}
