import { memoize } from "../../settings/memoize.ts";
import { currencyName, moneyText } from "../../words/currencies.ts";
import { intlLocale, type Language } from "../../words/i18n/languages.ts";
import { translate } from "../../words/i18n/translate.ts";
import { roundShare } from "../../words/text/share.ts";
import { readDay } from "../../words/text/time.ts";
import { type TimeTexts, writeTimes } from "./time-texts.ts";
import { placeName, zoneNamed } from "./time-zones.ts";

/** Formats values for pages, in one language and one time zone. */
export interface Format {
  /** The time zone; undefined for UTC, if none was chosen. */
  timeZone: string | undefined;
  /** Its name in the language, see `placeName`. */
  zoneName: string | undefined;
  /**
   * `21 Nov 2026, 14:05 UTC` or `21 Nov 2026, 19:50 UTC+5:45`, with the zone's offset at that time. A line breaks only
   * after the comma.
   */
  time(value: Date | string): string;
  /** `21 Nov 2026`, all on one line. */
  date(value: Date | string): string;
  /**
   * `time` as an element, which the browser converts to the viewer's zone if none was chosen (see
   * public/js/web/times.ts). Views write every time this way. More attributes of the element may follow.
   */
  timeTag(value: Date, attributes?: string): string;
  /** `date` as an element of the same kind. */
  dateTag(value: Date): string;
  /** A period as an element of the same kind, see `TimeTexts.periodText`. */
  periodTag(from: Date, to: Date, withDays: boolean): string;
  /** How long ago a time was, as an element that the browser updates (see public/js/servers/ages.ts). */
  ageTag(value: Date, text: string): string;
  /** A whole UTC day, which is not converted to a zone, as an element. */
  utcDayTag(value: Date): string;
  /** `12,345.6`; an unknown number is a dash, never 0. */
  number(value: number | null | undefined): string;
  /** `12.5%`, from a share of 0 to 1. */
  share(value: number | null | undefined): string;
  /** `499.00 EUR`, `335 JPY`. Prices stay decimal texts, to avoid floats. */
  money(price: string | null, currency: string): string;
  currency(code: string): string;
  /** A readable form of `top_speed_kmh`: `Top speed kmh`. */
  label(key: string): string;
  /** A game's number to the last digit: `1,974.25`. */
  figure(value: number): string;
  /**
   * An attribute's value for people. Numbers of four digits have no separator, because they may be years. Booleans
   * become words, days dates, lists text with commas, and empty values a dash.
   */
  attribute(value: unknown): string;
}

const SHARE_DECIMALS = 1;

/**
 * The format for a language and a time zone (IANA name; UTC if it is null or undefined). A zone that this Node does not
 * know, such as one saved under a newer version, counts as UTC.
 */
export const formatFor = memoize((language: Language, timeZone?: string | null): Format => {
  const zone = timeZone != null && zoneNamed(timeZone) !== undefined ? timeZone : undefined;
  const texts = writeTimes(intlLocale(language), zone ?? "UTC");
  return {
    ...writeValues(language),
    ...writeTags(texts, writeTimes(intlLocale(language), "UTC")),
    timeZone: zone,
    zoneName: zone && placeName(zone, intlLocale(language)),
    time: (value: Date | string) => texts.timeText(new Date(value)),
    date: (value: Date | string) => texts.dateText(new Date(value)),
  };
});

type Tags = "timeTag" | "dateTag" | "periodTag" | "ageTag" | "utcDayTag";

/** Texts of times contain nothing to escape. */
function writeTags(texts: TimeTexts, ofUtc: TimeTexts): Pick<Format, Tags> {
  const tag = (datetime: string, text: string, attributes = "") =>
    `<time datetime="${datetime}"${attributes && ` ${attributes}`}>${text}</time>`;
  return {
    timeTag: (value, attributes) => tag(value.toISOString(), texts.timeText(value), attributes),
    dateTag: (value) => tag(value.toISOString(), texts.dateText(value), 'data-date=""'),
    periodTag: (from, to, withDays) =>
      tag(
        from.toISOString(),
        texts.periodText(from, to, withDays),
        `data-until="${to.toISOString()}"${withDays ? ' data-with-days=""' : ""}`,
      ),
    ageTag: (value, text) => tag(value.toISOString(), text, 'data-age=""'),
    utcDayTag: (value) => tag(value.toISOString().slice(0, 10), ofUtc.dateText(value)),
  };
}

function writeValues(language: Language): Omit<Format, "timeZone" | "zoneName" | "time" | "date" | Tags> {
  const numbers = new Intl.NumberFormat(intlLocale(language), { maximumFractionDigits: 4 });
  const shares = new Intl.NumberFormat(intlLocale(language), {
    style: "percent",
    maximumFractionDigits: SHARE_DECIMALS,
  });
  const number = (value: number | null | undefined) => (value == null ? "–" : numbers.format(value));
  // The game's values are shown with all their digits, or a history could say that 0.1234 became 0.1234.
  const digits = { maximumFractionDigits: 20 } as const;
  const exact = new Intl.NumberFormat(intlLocale(language), digits);
  const guessed = new Intl.NumberFormat(intlLocale(language), { ...digits, useGrouping: "min2" });
  const figure = (value: number) => guessed.format(`${value}`);
  // Created once, because creating a date format takes as long as formatting a thousand values.
  const day = writeDay(language);
  return {
    number,
    share: (value) => (value == null ? "–" : shares.format(roundShare(value, SHARE_DECIMALS))),
    money: (price, currency) => (price === null ? "–" : moneyText(intlLocale(language), price, currency)),
    currency: (code) => currencyName(intlLocale(language), code),
    label,
    figure: (value) => exact.format(`${value}`),
    attribute: (value) => attributeText(language, { figure, day }, value),
  };
}

function label(key: string): string {
  const words = key
    .replace(/[_-]+/g, " ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Formatters for the parts of attributes; `day` returns undefined for a text that is not a day. */
interface ValueTexts {
  figure(value: number): string;
  day(text: string): string | undefined;
}

/** Formats `2026-06-14` as a date, which without a time is the same in every time zone. */
function writeDay(language: Language): ValueTexts["day"] {
  const { dateText } = writeTimes(intlLocale(language), "UTC");
  return (text) => {
    const day = readDay(text);
    return day && dateText(day);
  };
}

/** If a comma is inside a figure, as in `17,02`, it cannot separate two of them. */
function listText(parts: readonly string[]): string {
  return parts.join(parts.some((part) => /\d,\d/.test(part)) ? "; " : ", ");
}

function attributeText(language: Language, texts: ValueTexts, value: unknown): string {
  const { figure, day } = texts;
  const text = (part: unknown): string => attributeText(language, texts, part);
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "boolean") return translate(language)(value ? "common.yes" : "common.no");
  if (typeof value === "number") return figure(value);
  if (Array.isArray(value)) return value.length === 0 ? "–" : listText(value.map(text));
  if (typeof value === "object") {
    const parts = Object.entries(value).map(([key, part]) => `${label(key)}: ${text(part)}`);
    return parts.length === 0 ? "–" : parts.join("; ");
  }
  return typeof value === "string" ? (day(value) ?? value) : String(value);
}
