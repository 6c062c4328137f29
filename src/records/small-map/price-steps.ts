/** The most steps that colours tell apart at a glance. */
const MOST_STEPS = 4;

/** Limits are rounded to these, times a power of ten. */
const ROUND = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/**
 * The lower limits of the second price step and of those above it, rounded: about as many of the prices lie in each
 * step. Empty where the prices make no two steps.
 */
export function priceLimits(prices: readonly number[]): readonly number[] {
  const sorted = prices.filter((price) => price > 0).sort((a, b) => a - b);
  const [lowest = 0, highest = 0] = [sorted[0], sorted.at(-1)];
  const limits = Array.from({ length: MOST_STEPS - 1 }, (_, index) =>
    roundPrice(sorted[Math.floor(((index + 1) * sorted.length) / MOST_STEPS)] ?? 0),
  );
  return [...new Set(limits)].filter((limit) => limit > lowest && limit <= highest);
}

/** The step of a price, from 1. */
export function priceStep(price: number, limits: readonly number[]): number {
  return 1 + limits.filter((limit) => limit <= price).length;
}

/** One line of a map's legend, from the cheapest step up. */
export interface LegendRow {
  readonly step: number;
  /** Prices from here; undefined: any below `below`. */
  readonly from: number | undefined;
  /** Prices below this; undefined: without end. */
  readonly below: number | undefined;
}

/** The steps that limits make; none without limits. */
export function createLegend(limits: readonly number[]): LegendRow[] {
  if (limits.length === 0) return [];
  return [undefined, ...limits].map((from, index) => ({ step: index + 1, from, below: limits[index] }));
}

function roundPrice(price: number): number {
  if (price <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(price));
  const nearest = ROUND.reduce((best, round) =>
    Math.abs(round * power - price) < Math.abs(best * power - price) ? round : best,
  );
  return nearest * power;
}
