import { glyphOf } from "../../words/kinds/glyphs.ts";
import type { MapKind } from "../../words/kinds/kinds.ts";

/** Drawings of public/img/icons.svg by category words, in English and Russian. */
const GLYPHS: readonly (readonly [glyph: string, words: RegExp])[] = [
  ["place-villa", /mansion|villa|estate|особняк|вилл/i],
  ["place-flats", /flat|apartment|condo|penthouse|квартир/i],
  ["place-cabin", /trailer|cabin|caravan|hut\b|трейлер|хижин|домик/i],
  ["place-weapons", /weapon|gun|ammu|оруж/i],
  ["place-food", /restaurant|food|diner|cafe|café|pizza|burger|ресторан|кафе|еда/i],
  ["place-drinks", /\bbars?\b|\bpubs?\b|club|бар(?![а-яё])|клуб/i],
  ["place-hotel", /casino|hotel|motel|казино|отел|гостиниц/i],
  ["place-groceries", /market|grocer|24\/7|store|магазин|маркет|продукт/i],
  ["place-clothes", /cloth|style|barber|tattoo|одежд|стил|парикмахер/i],
  ["place-sport", /gym|sport|leisure|спорт|досуг/i],
  ["place-works", /transport|industr|garage|\bcars?\b|petrol|\bgas\b|транспорт|промышл|гараж|заправ/i],
];

/** The maximum number of steps whose colours are distinct at a glance. */
const MOST_STEPS = 4;

/** Limits are rounded to these, times a power of ten. */
const ROUND = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/**
 * The lower limits of the second price step and of those above it, rounded, so that each step has about as many of the
 * prices. Empty if the prices make fewer than two steps.
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

/** The lines of the legend for these limits, from the cheapest step up; none without limits. */
export function createLegend(limits: readonly number[]) {
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

/**
 * The name of the drawing for a category on maps, or the kind's own for a category without one. `own` is the
 * operator's.
 */
export function placeGlyph(kind: MapKind, category: string | null, own?: string): string {
  if (own !== undefined) return own;
  const [glyph] = GLYPHS.find(([, words]) => category !== null && words.test(category)) ?? [];
  return glyph ?? glyphOf(kind);
}
