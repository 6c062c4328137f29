import { shownDigits } from "../currencies.ts";
import { intlLocale, type Language } from "../i18n/languages.ts";
import { translate } from "../i18n/translate.ts";
import { zoneNamed } from "./time-zones.ts";

/** How pages write what they show: times in one time zone, all else in one language. */
export interface Format {
  /** The zone that times are in; undefined: that of UTC, because none was chosen. */
  timeZone: string | undefined;
  /**
   * `21 Nov 2026, 14:05 UTC`, and in another zone `21 Nov 2026, 19:50 UTC+5:45`: as the clocks there were at that time.
   * A line breaks after the comma only.
   */
  time(value: Date | string): string;
  /** `21 Nov 2026`, all on one line. */
  date(value: Date | string): string;
  /** `12,345.6`; a figure that is not known is a dash, never 0. */
  number(value: number | null | undefined): string;
  /** `12.5%` of a share from 0 to 1. */
  share(value: number | null | undefined): string;
  /** `499.00 EUR`, `335 JPY`. Prices are decimal texts and stay so: no arithmetic on floats. */
  money(price: string | null, currency: string): string;
  /** `top_speed_kmh` as a person reads it: `Top speed kmh`. */
  label(key: string): string;
  /** An attribute's value as a person reads it: booleans as words, days as dates, lists with commas, nothing as a dash. */
  attribute(value: unknown): string;
}

/** Formats are made once for each language and zone: there are some 450 zones, and what makes them checks their names. */
const formats = new Map<string, Format>();

/**
 * What a page in this language for somebody in this zone (IANA name) is written with; undefined: UTC. A zone that this
 * Node does not know, say of a newer version that was here before, is UTC too, and named so.
 */
export function formatFor(language: Language, timeZone?: string): Format {
  const key = `${language} ${timeZone ?? ""}`;
  const known = formats.get(key);
  if (known) return known;
  const zone = timeZone === undefined || zoneNamed(timeZone) === undefined ? undefined : timeZone;
  const made = { ...writeValues(language), ...writeTimes(language, zone) };
  formats.set(key, made);
  return made;
}

/** public/js/times.js writes the same in the browser, for visitors. */
function writeTimes(
  language: Language,
  timeZone: string | undefined,
): Pick<Format, "timeZone" | "time" | "date"> {
  const locale = intlLocale(language);
  const zone = { timeZone: timeZone ?? "UTC" };
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", ...zone });
  const dateOnly = new Intl.DateTimeFormat(locale, { dateStyle: "medium", ...zone });
  // Always of English: other languages have words of their own for the offset.
  const offsets = new Intl.DateTimeFormat("en-GB", { timeZoneName: "shortOffset", ...zone });
  return {
    timeZone,
    time: (value) => unbroken(`${dateTime.format(new Date(value))} ${offsetText(offsets, new Date(value))}`),
    date: (value) => unbroken(dateOnly.format(new Date(value))),
  };
}

/** A day without its year, or an hour without its zone, is read as the whole at the end of a line. */
function unbroken(text: string): string {
  return text.replace(/\s/g, "\u00a0").replace(",\u00a0", ", ");
}

/** `UTC+5:45`; the zone names that Intl shortens (CST, IST) mean several zones each. */
function offsetText(offsets: Intl.DateTimeFormat, time: Date): string {
  const name = offsets.formatToParts(time).find(({ type }) => type === "timeZoneName")?.value ?? "";
  return name.replace(/^GMT/, "UTC").replace(/^UTC\+0$/, "UTC");
}

function writeValues(language: Language): Omit<Format, "timeZone" | "time" | "date"> {
  const numbers = new Intl.NumberFormat(intlLocale(language), { maximumFractionDigits: 4 });
  const shares = new Intl.NumberFormat(intlLocale(language), { style: "percent", maximumFractionDigits: 1 });
  const number = (value: number | null | undefined) => (value == null ? "–" : numbers.format(value));
  // What the game tells is shown to its last digit: a history must not say that 0.1234 became 0.1234.
  const exact = new Intl.NumberFormat(intlLocale(language), { maximumFractionDigits: 20 });
  const figure = (value: number) => exact.format(`${value}`);
  // Once: to make a date's format takes as long as to write a thousand values.
  const day = writeDay(language);
  return {
    number,
    share: (value) => (value == null ? "–" : shares.format(value)),
    money: (price, currency) => moneyText(language, price, currency),
    label,
    attribute: (value) => attributeText(language, { figure, day }, value),
  };
}

function moneyText(language: Language, price: string | null, currency: string): string {
  if (price === null) return "–";
  const digits = shownDigits(price, currency);
  const fraction = digits.split(".")[1]?.length ?? 0;
  const options = { minimumFractionDigits: fraction, maximumFractionDigits: fraction };
  const text = new Intl.NumberFormat(intlLocale(language), options).format(digits as `${number}`);
  return `${text} ${currency}`;
}

function label(key: string): string {
  const words = key
    .replace(/[_-]+/g, " ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What attributes are put together of; `day` of no day is undefined. */
interface ValueTexts {
  figure(value: number): string;
  day(text: string): string | undefined;
}

/** `2026-06-14` as a date: a day without a time is the same one in every time zone. */
function writeDay(language: Language): ValueTexts["day"] {
  const { date } = writeTimes(language, undefined);
  return (text) => (isDay(text) ? date(text) : undefined);
}

/** Date.parse takes 31 February for 3 March: what is no day stays as it was written. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function attributeText(language: Language, texts: ValueTexts, value: unknown): string {
  const { figure, day } = texts;
  const text = (part: unknown): string => attributeText(language, texts, part);
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "boolean") return translate(language)(value ? "common.yes" : "common.no");
  if (typeof value === "number") return figure(value);
  if (Array.isArray(value)) return value.length === 0 ? "–" : value.map(text).join(", ");
  if (typeof value === "object") {
    const parts = Object.entries(value).map(([key, part]) => `${label(key)}: ${text(part)}`);
    return parts.length === 0 ? "–" : parts.join("; ");
  }
  return typeof value === "string" ? (day(value) ?? value) : String(value);
}
