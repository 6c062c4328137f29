import ejs from "ejs";
import type { Db } from "../db/connect.ts";
import { comparePrices } from "../records/prices/prices.ts";
import type { ShopItem } from "../records/prices/queries.ts";
import type { Locale } from "../web/request/locale.ts";
import { chooseScale, drawTimeAxis, FRAME, fixed, type TimeAxis } from "../words/charts/time-axis.ts";
import { intlLocale } from "../words/i18n/languages.ts";
import { type PriceStep, priceSteps } from "./price-history.ts";
import { loadPriceVersions } from "./price-history-queries.ts";

const YEAR_MS = 365 * 24 * 3_600_000;
/** The table shows this many of the newest changes; the chart shows all. */
const ROWS = 100;

interface PriceChart {
  name: string;
  /** Steps in order, up to now; at least one has a price. */
  steps: readonly PriceStep[];
}

/** The language of the chart and the time zone of its axis. */
type ChartLocale = Pick<Locale, "language" | "t" | "format">;

/**
 * An item's prices as an SVG of steps. The regular price is dashed while a discount is below it; the line has a gap
 * where no price was known. Colours and sizes come from the style sheets by class; text from outside is escaped.
 */
export function drawPriceChart({ name, steps }: PriceChart, reader: ChartLocale): string {
  const [first, last] = [steps[0], steps.at(-1)];
  if (!first || !last) return "";
  const [from, to] = [first.from.getTime(), last.to.getTime()];
  const scale = chooseScale(Math.max(...steps.map(highest)), null);
  const x = (time: Date | number) => ((Number(time) - from) / (to - from)) * FRAME.width;
  const y = (hundredths: number) => FRAME.base - (hundredths / scale.top) * (FRAME.base - FRAME.top);
  return [
    `<svg class="chart price-chart" viewBox="0 0 ${FRAME.width} ${FRAME.height}" role="img" aria-labelledby="price-chart-title price-chart-summary">`,
    `<title id="price-chart-title">${ejs.escapeXML(reader.t("donate.history.chart", { name }))}</title>`,
    `<desc id="price-chart-summary">${describePrices(steps, reader)}</desc>`,
    drawTimeAxis(createAxis(from, to), intlLocale(reader.language), reader.format.timeZone ?? "UTC"),
    ...scale.lines.map((line) => drawGridLine(y(line))),
    ...drawSteps(
      steps.filter(({ isDiscounted }) => isDiscounted),
      "regular",
      x,
      y,
    ),
    ...drawSteps(steps, "price", x, y),
    ...drawNow(last, y),
    // After the prices, which would strike them through.
    ...scale.lines.map((line) => drawAmount(line, y(line), last.currency, reader)),
    "</svg>",
  ].join("");
}

/** The marks of a span of up to this many hours. */
const AXES: readonly ({ upToHours: number } & Pick<TimeAxis, "unit" | "every">)[] = [
  { upToHours: 0.2, unit: "minute", every: 1 },
  { upToHours: 0.8, unit: "minute", every: 5 },
  { upToHours: 3, unit: "minute", every: 15 },
  { upToHours: 9, unit: "hour", every: 1 },
  { upToHours: 26, unit: "hour", every: 3 },
  { upToHours: 60, unit: "hour", every: 6 },
  { upToHours: 9 * 24, unit: "day", every: 1 },
  { upToHours: 20 * 24, unit: "day", every: 2 },
  { upToHours: 70 * 24, unit: "day", every: 7 },
  { upToHours: 400 * 24, unit: "month", every: 1 },
];

/** The axis of a span, with as many round times as fit. */
export function createAxis(from: number, to: number): TimeAxis {
  const hours = (to - from) / 3_600_000;
  const { unit, every } = AXES.find(({ upToHours }) => hours <= upToHours) ?? { unit: "month", every: 3 };
  return { from, to, unit, every };
}

/** Describes the chart in words as HTML, for those who cannot see it. */
export function describePrices(
  steps: readonly PriceStep[],
  { t, format }: Pick<ChartLocale, "t" | "format">,
): string {
  const known = steps.flatMap(({ price }) => (price === null ? [] : [price])).toSorted(comparePrices);
  const [lowest, highest] = [known[0], known.at(-1)];
  const [first, last] = [steps[0], steps.at(-1)];
  if (lowest === undefined || highest === undefined || !first || !last) return t("donate.history.unknown");
  const since = format.timeTag(first.from);
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

function drawGridLine(y: number): string {
  return `<line class="chart-grid" x1="0" x2="${FRAME.width}" y1="${fixed(y)}" y2="${fixed(y)}"/>`;
}

function drawAmount(line: number, y: number, currency: string, { format }: ChartLocale): string {
  const whole = Number.isInteger(line / 100) ? String(line / 100) : (line / 100).toFixed(2);
  const text = line === 0 ? "0" : format.money(whole, currency);
  return `<text class="chart-count" x="2" y="${fixed(y - 7)}">${ejs.escapeXML(text)}</text>`;
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

/** A dot at the current price, because a step that began a moment ago is too short to be seen. */
function drawNow({ price }: PriceStep, y: (hundredths: number) => number): string[] {
  if (price === null) return [];
  return [`<circle class="chart-now" cx="${FRAME.width}" cy="${fixed(y(hundredths(price)))}" r="4"/>`];
}

/**
 * An item's prices of the last year, for its page; without `chart` if they did not change. Undefined if no price is
 * known. `name` is the name shown on the page.
 */
export async function describeHistory(
  db: Db,
  item: Pick<ShopItem, "key" | "name">,
  now: Date,
  locale: Pick<Locale, "language" | "t" | "format">,
) {
  const yearAgo = new Date(now.getTime() - YEAR_MS);
  const { prices, discounts, since } = await loadPriceVersions(db, item.key, yearAgo);
  const steps = priceSteps(prices, discounts, { since, until: now });
  const [first] = steps;
  if (!first || steps.every(({ price }) => price === null)) return undefined;
  return {
    ...(steps.length > 1 && { chart: drawPriceChart({ name: item.name, steps }, locale) }),
    summary: { html: describePrices(steps, locale) },
    /** True if the chart also draws regular prices. */
    hasRegular: steps.some(({ isDiscounted, regular }) => isDiscounted && regular !== null),
    /** The newest first; `isCut` if older ones are left out. */
    steps: steps.toReversed().slice(0, ROWS),
    isCut: steps.length > ROWS,
    since: first.from,
    until: now,
  };
}
