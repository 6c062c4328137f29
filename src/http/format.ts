import { shownDigits } from "../currencies.ts";
import { zoneNamed } from "./time-zones.ts";

/** How pages write what they show: times in one time zone, and all else. */
export interface Format {
  /** The zone that times are in; undefined: that of UTC, because none was chosen. */
  timeZone: string | undefined;
  /** `21 Nov 2026, 14:05 UTC`, and in another zone `21 Nov 2026, 19:50 UTC+5:45`: as the clocks there were at that time. */
  time(value: Date | string): string;
  /** `21 Nov 2026` */
  date(value: Date | string): string;
  number: typeof number;
  share: typeof share;
  money: typeof money;
  label: typeof label;
  attribute: typeof attribute;
}

const numbers = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 4 });

/** Formats are made once for each zone: there are some 450 of them, and what makes them checks their names. */
const formats = new Map<string, Format>();

/**
 * What a page for somebody in this zone (IANA name) is written with; undefined: UTC. A zone that this Node does not
 * know, say of a newer version that was here before, is UTC too, and named so.
 */
export function formatFor(timeZone: string | undefined): Format {
  if (timeZone === undefined) return utc;
  const known = formats.get(timeZone);
  if (known) return known;
  const made = zoneNamed(timeZone) === undefined ? utc : makeFormat(timeZone);
  formats.set(timeZone, made);
  return made;
}

/** public/js/times.js writes the same in the browser, for visitors. */
function makeFormat(timeZone: string | undefined): Format {
  const zone = { timeZone: timeZone ?? "UTC" };
  const dateTime = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", ...zone });
  const dateOnly = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", ...zone });
  const offsets = new Intl.DateTimeFormat("en-GB", { timeZoneName: "shortOffset", ...zone });
  return {
    timeZone,
    time: (value) => `${dateTime.format(new Date(value))} ${offsetText(offsets, new Date(value))}`,
    date: (value) => dateOnly.format(new Date(value)),
    number,
    share,
    money,
    label,
    attribute,
  };
}

/** `UTC+5:45`; the zone names that Intl shortens (CST, IST) mean several zones each. */
function offsetText(offsets: Intl.DateTimeFormat, time: Date): string {
  const name = offsets.formatToParts(time).find(({ type }) => type === "timeZoneName")?.value ?? "";
  return name.replace(/^GMT/, "UTC").replace(/^UTC\+0$/, "UTC");
}

const utc = makeFormat(undefined);

/** `21 Nov 2026, 14:05 UTC` */
export const time = utc.time;

/** `12,345.6`; a figure that is not known is a dash, never 0. */
export function number(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : numbers.format(value);
}

/** `12 %` of a share from 0 to 1. */
export function share(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : `${numbers.format(Math.round(value * 1000) / 10)} %`;
}

/** `499.00 EUR`, `335 JPY`. Prices are decimal texts and stay so: no arithmetic on floats. */
export function money(price: string | null, currency: string): string {
  if (price === null) return "–";
  const [whole = "0", fraction] = shownDigits(price, currency).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return `${fraction === undefined ? grouped : `${grouped}.${fraction}`} ${currency}`;
}

/** `top_speed_kmh` as a person reads it: `Top speed kmh`. */
export function label(key: string): string {
  const words = key
    .replace(/[_-]+/g, " ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** An attribute's value as a person reads it: booleans as words, lists with commas, nothing as a dash. */
export function attribute(value: unknown): string {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return number(value);
  if (Array.isArray(value)) return value.length === 0 ? "–" : value.map(attribute).join(", ");
  if (typeof value === "object") {
    if (Object.keys(value).length === 0) return "–";
    return Object.entries(value)
      .map(([key, part]) => `${label(key)}: ${attribute(part)}`)
      .join("; ");
  }
  return String(value);
}
