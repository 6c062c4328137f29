import ejs from "ejs";
import { chooseScale, FRAME, fixed } from "../charts/axes.ts";
import type { Locale } from "../http/locale.ts";
import { comparePrices } from "../prices/prices.ts";
import { chooseTicks } from "./price-chart-times.ts";
import type { PriceStep } from "./price-history.ts";

export interface PriceChart {
  name: string;
  /** Steps in order, the last of which ends now; at least one of them with a price. */
  steps: readonly PriceStep[];
}

/** The language of the chart and the time zone of its axis. */
type Reader = Pick<Locale, "language" | "t" | "format">;

/**
 * An item's prices as an SVG of steps. The regular price is dashed where a discount went below it; the line has a gap
 * where no price was known. Colours and sizes come from the style sheets by class; text from outside is escaped.
 */
export function drawPriceChart({ name, steps }: PriceChart, reader: Reader): string {
  const [first, last] = [steps[0], steps.at(-1)];
  if (!first || !last) return "";
  const [from, to] = [first.from.getTime(), last.to.getTime()];
  const scale = chooseScale(Math.max(...steps.map(highest)), null);
  const x = (time: Date | number) => ((Number(time) - from) / (to - from)) * FRAME.width;
  const y = (hundredths: number) => FRAME.base - (hundredths / scale.top) * (FRAME.base - FRAME.top);
  return [
    `<svg class="chart price-chart" viewBox="0 0 ${FRAME.width} ${FRAME.height}" role="img" aria-labelledby="price-chart-title price-chart-summary">`,
    `<title id="price-chart-title">${ejs.escapeXML(reader.t("donate.history.chart", { name }))}</title>`,
    `<desc id="price-chart-summary">${ejs.escapeXML(describePrices(steps, reader))}</desc>`,
    ...drawTicks(from, to, reader, x),
    ...scale.lines.map((line) => drawPriceLine(line, y(line), last.currency, reader)),
    ...drawSteps(
      steps.filter(({ isDiscounted }) => isDiscounted),
      "regular",
      x,
      y,
    ),
    ...drawSteps(steps, "price", x, y),
    ...drawNow(last, y),
    "</svg>",
  ].join("");
}

/** The chart in words, for those who cannot see it. */
export function describePrices(
  steps: readonly PriceStep[],
  { t, format }: Pick<Reader, "t" | "format">,
): string {
  const known = steps.flatMap(({ price }) => (price === null ? [] : [price])).toSorted(comparePrices);
  const [lowest, highest] = [known[0], known.at(-1)];
  const [first, last] = [steps[0], steps.at(-1)];
  if (lowest === undefined || highest === undefined || !first || !last) return t("donate.history.unknown");
  const since = format.time(first.from);
  const price = format.money(lowest, last.currency);
  const now =
    last.price === null
      ? t("donate.history.none_now")
      : t("donate.history.now", { price: format.money(last.price, last.currency) });
  if (lowest !== highest) {
    const between = { lowest: price, highest: format.money(highest, last.currency), since };
    return `${t("donate.history.between", between)} ${now}`;
  }
  if (known.length === steps.length) return t("donate.history.always", { price, since });
  return `${t("donate.history.at_times", { price, since })} ${now}`;
}

/** In hundredths of the currency; a float is exact enough for drawing. */
function hundredths(price: string): number {
  return Math.round(Number(price) * 100);
}

function highest({ price, regular }: PriceStep): number {
  return Math.max(hundredths(price ?? "0"), hundredths(regular ?? "0"));
}

function drawTicks(
  from: number,
  to: number,
  { language, format }: Reader,
  x: (time: number) => number,
): string[] {
  return chooseTicks(from, to, format.timeZone ?? "UTC", language).flatMap(({ time, text, isMinor }) => {
    const at = fixed(x(time));
    const minor = isMinor ? " is-minor" : "";
    return [
      `<line class="chart-hour${minor}" x1="${at}" x2="${at}" y1="${FRAME.top}" y2="${FRAME.base}"/>`,
      `<text class="chart-hour-label${minor}" x="${at}" y="${FRAME.height - 10}" text-anchor="middle">${ejs.escapeXML(text)}</text>`,
    ];
  });
}

function drawPriceLine(line: number, y: number, currency: string, { format }: Reader): string {
  const whole = Number.isInteger(line / 100) ? String(line / 100) : (line / 100).toFixed(2);
  const text = line === 0 ? "0" : format.money(whole, currency);
  return (
    `<line class="chart-grid" x1="0" x2="${FRAME.width}" y1="${fixed(y)}" y2="${fixed(y)}"/>` +
    `<text class="chart-count" x="2" y="${fixed(y - 7)}">${ejs.escapeXML(text)}</text>`
  );
}

/** One path for each unbroken run of steps that have a price. */
function drawSteps(
  steps: readonly PriceStep[],
  which: "price" | "regular",
  x: (time: Date) => number,
  y: (hundredths: number) => number,
): string[] {
  const paths: string[] = [];
  let previous: PriceStep | undefined;
  for (const step of steps) {
    const amount = step[which];
    if (amount !== null) {
      const goesOn = previous?.to.getTime() === step.from.getTime() && previous[which] !== null;
      const level = fixed(y(hundredths(amount)));
      const drawn = goesOn ? `V${level}` : `M${fixed(x(step.from))} ${level}`;
      if (goesOn) paths.push(`${paths.pop()}${drawn}H${fixed(x(step.to))}`);
      else paths.push(`${drawn}H${fixed(x(step.to))}`);
    }
    previous = step;
  }
  return paths.map((path) => `<path class="chart-${which === "price" ? "cost" : "regular"}" d="${path}"/>`);
}

/** A dot at the price of now: a step that began a moment ago is too short to be seen. */
function drawNow({ price }: PriceStep, y: (hundredths: number) => number): string[] {
  if (price === null) return [];
  return [`<circle class="chart-now" cx="${FRAME.width}" cy="${fixed(y(hundredths(price)))}" r="4"/>`];
}
