import ejs from "ejs";
import { comparePrices } from "../records/prices/prices.ts";
import type { Locale } from "../web/request/locale.ts";
import type { PriceStep } from "./price-history.ts";

/** The shape of the line; the style sheet stretches it over the card. */
const WIDTH = 90;
const HEIGHT = 32;
/** Kept free above and below, for the line's own width. */
const EDGE = 3;

/**
 * Draws an item's recent prices as a small SVG of steps without axes, with the same in words. Returns undefined if
 * the price never changed.
 * @param steps in order and without gaps, the last of which ends now
 */
export function drawPriceLine(
  steps: readonly PriceStep[],
  { t, format }: Pick<Locale, "t" | "format">,
): string | undefined {
  const [first, last] = [steps[0], steps.at(-1)];
  const known = steps.flatMap(({ price }) => (price === null ? [] : [price])).toSorted(comparePrices);
  const [lowest, highest] = [known[0], known.at(-1)];
  if (!first || !last || lowest === undefined || highest === undefined || lowest === highest)
    return undefined;
  const [from, span] = [first.from.getTime(), last.to.getTime() - first.from.getTime()];
  const x = (time: Date) => Math.round(((time.getTime() - from) / span) * WIDTH * 10) / 10;
  const [bottom, range] = [Number(lowest), Number(highest) - Number(lowest)];
  const y = (price: string) =>
    Math.round(HEIGHT - EDGE - ((Number(price) - bottom) / range) * (HEIGHT - 2 * EDGE));
  const label = t("donate.history.lately", {
    lowest: format.money(lowest, last.currency),
    highest: format.money(highest, last.currency),
  });
  return (
    `<svg class="sparkline price-line" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" ` +
    `aria-label="${ejs.escapeXML(label)}"><path class="chart-cost" vector-effect="non-scaling-stroke" d="${pathOf(steps, x, y)}"/></svg>`
  );
}

/** Steps, with a gap where no price was known. */
function pathOf(
  steps: readonly PriceStep[],
  x: (time: Date) => number,
  y: (price: string) => number,
): string {
  let path = "";
  let isDrawing = false;
  for (const { from, to, price } of steps) {
    if (price !== null) path += `${isDrawing ? `V${y(price)}` : `M${x(from)} ${y(price)}`}H${x(to)}`;
    isDrawing = price !== null;
  }
  return path;
}
