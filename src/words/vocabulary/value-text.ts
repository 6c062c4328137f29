import { memoize } from "../../settings/memoize.ts";
import { intlLocale, type Language } from "../i18n/languages.ts";
import { roundShare } from "../text/share.ts";
import { timeAt } from "../text/time.ts";
import type { AttributeWords, DURATION_UNITS } from "./attribute-schema.ts";
import { textIn } from "./text-in.ts";
import type { Attribute } from "./vocabulary.ts";

/** How values without a type of their own are written. */
interface PlainFormat {
  figure(value: number): string;
  attribute(value: unknown): string;
  money(price: string, currency: string): string;
  time(value: Date): string;
}

export interface ValueFormat {
  readonly format: PlainFormat;
  readonly language: Language;
}

type Typed = Pick<Attribute, "type" | "unit" | "decimals" | "currency" | "countedIn">;

/**
 * A value as its attribute's type, unit and decimals say; undefined where they say nothing of such a value, which is
 * then written as guessed.
 */
export function typedText(attribute: Typed, value: unknown, words: ValueFormat): string | undefined {
  const { type } = attribute;
  if (type === "text" && (typeof value === "string" || typeof value === "number")) return String(value);
  if (type === "date") return dateText(value, words.format);
  const number = numberIn(value, type);
  if (number === undefined) return undefined;
  if (type === "share") return percent(number, attribute.decimals, words.language);
  if (type === "money") return words.format.money(String(value), attribute.currency ?? "");
  if (type === "duration") return durationText(number, attribute.countedIn ?? "seconds", words.language);
  const { unit, decimals } = attribute;
  if (type !== "number" && unit === undefined && decimals === undefined) return undefined;
  const plain = type === "number" ? words.format.figure : words.format.attribute;
  const figure = decimals === undefined ? plain(number) : fixed(number, attribute, words.language);
  return withUnit(figure, textIn(unit, words.language));
}

/** Numbers written as text count only where the file says that they are numbers. */
function numberIn(value: unknown, type: AttributeWords["type"]): number | undefined {
  if (typeof value === "number") return value;
  const isFigure = type !== undefined && typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value.trim());
  return isFigure ? Number(value) : undefined;
}

function withUnit(figure: string, unit: string | undefined): string {
  if (unit === undefined) return figure;
  return unit.includes("{figure}") ? unit.replace("{figure}", figure) : `${figure}\u00a0${unit}`;
}

/** Days as they are, times with the zone; seconds or milliseconds since 1970 as numbers. */
function dateText(value: unknown, format: PlainFormat): string | undefined {
  if (typeof value === "number") {
    const time = timeAt(Math.abs(value) < 1e11 ? value * 1000 : value);
    return time && format.time(time);
  }
  return typeof value === "string" ? format.attribute(value) : undefined;
}

const IN_SECONDS: Readonly<Record<(typeof DURATION_UNITS)[number], number>> = {
  milliseconds: 0.001,
  seconds: 1,
  minutes: 60,
  hours: 3600,
  days: 86_400,
};

const PARTS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

/** `1 hr 30 mins`: the two largest parts; below a minute with a fraction, below a second in milliseconds. */
export function durationText(
  amount: number,
  countedIn: (typeof DURATION_UNITS)[number],
  language: Language,
): string {
  const seconds = Math.abs(amount * IN_SECONDS[countedIn]);
  const sign = amount < 0 ? "−" : "";
  if (seconds > 0 && seconds < 1) return sign + unitText(round(seconds * 1000), "millisecond", language);
  if (seconds < 60) return sign + unitText(round(seconds), "second", language);
  const at = PARTS.findIndex(([, size]) => seconds >= size);
  const [large = PARTS[0], small = PARTS[3]] = PARTS.slice(at, at + 2);
  const whole = Math.round(seconds / small[1]) * small[1];
  // 59 minutes and 59.9 seconds are an hour.
  const larger = PARTS[at - 1];
  if (larger && whole >= larger[1]) return sign + durationText(whole, "seconds", language);
  const figures = [
    [Math.floor(whole / large[1]), large[0]],
    [(whole % large[1]) / small[1], small[0]],
  ] as const;
  const texts = figures
    .filter(([figure]) => figure > 0)
    .map(([figure, unit]) => unitText(figure, unit, language));
  return sign + texts.join(" ");
}

function round(figure: number): number {
  return Number(figure.toPrecision(3));
}

function unitText(figure: number, unit: string, language: Language): string {
  const options = { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 2 } as const;
  return numberFormat(language, options).format(figure).replaceAll(" ", "\u00a0");
}

function percent(share: number, decimals: number | undefined, language: Language): string {
  const digits = { minimumFractionDigits: decimals ?? 0, maximumFractionDigits: decimals ?? 2 };
  const rounded = roundShare(share, digits.maximumFractionDigits);
  return numberFormat(language, { style: "percent", ...digits }).format(rounded);
}

/** What is not said to be a number may be a year or a model: four digits have no separator then. */
function fixed(number: number, { type, decimals }: Typed, language: Language): string {
  const useGrouping = type === "number" ? "auto" : "min2";
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return numberFormat(language, { ...digits, useGrouping }).format(number);
}

/** Making one takes as long as formatting a thousand numbers; there are only so many different ones. */
const numberFormat = memoize(
  (language: Language, options: Intl.NumberFormatOptions) =>
    new Intl.NumberFormat(intlLocale(language), options),
);
