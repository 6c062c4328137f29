import { moneyText } from "../../words/currencies.ts";
import { intlLocale, type Language } from "../../words/i18n/languages.ts";

/** Prices and times in the user's language and time zone. */
export interface MailFormat {
  /** `1,499.00 EUR`, `1 499,00 RUB`, `335 JPY`; a price is a decimal text and stays exact. */
  money(price: string, currency: string): string;
  /** `22 November 2026 at 14:05 (Moscow Standard Time)` */
  time(value: Date): string;
}

/** `timeZone` is an IANA name. If it is not set or unknown, times are in UTC and say so. */
export function mailFormat(language: Language, timeZone: string | null): MailFormat {
  const locale = intlLocale(language);
  const times = dateFormat(locale, timeZone);
  return {
    money: (price, currency) => moneyText(locale, price, currency).replaceAll(" ", "\u00a0"),
    time: (value) => {
      const parts = times.formatToParts(value);
      const zone = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
      return `${textBefore(parts, "timeZoneName")} (${zone})`;
    },
  };
}

function dateFormat(locale: string, timeZone: string | null): Intl.DateTimeFormat {
  const options = {
    day: "numeric",
    month: "long",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "long",
  } as const;
  try {
    if (timeZone !== null && timeZone !== "UTC")
      return new Intl.DateTimeFormat(locale, { ...options, timeZone });
  } catch {
    // A zone that only another version of the time zone database knew. The hour must be right all the same.
  }
  return new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC", timeZoneName: "short" });
}

function textBefore(parts: Intl.DateTimeFormatPart[], type: string): string {
  const end = parts.findIndex((part) => part.type === type);
  return parts
    .slice(0, end)
    .map(({ value }) => value)
    .join("")
    .trimEnd();
}
