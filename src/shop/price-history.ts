import { type DiscountTerms, type Offer, type Priced, rankDiscounts } from "../records/prices/prices.ts";

/** A regular price that an item had. */
export interface PriceVersion extends Priced {
  valid_from: Date;
  /** Null if it is still valid. */
  valid_to: Date | null;
}

/** A discount between two changes. */
export interface DiscountVersion extends DiscountTerms {
  /** The discount's id. */
  id: string;
  title: string | null;
  /** Titles by language. Null, as `demo` is, if the discount was removed. */
  titles: Record<string, string> | null;
  demo: boolean | null;
  starts_at: Date;
  ends_at: Date | null;
  valid_from: Date;
  valid_to: Date | null;
}

/** A period with one price of an item. */
export interface PriceStep {
  from: Date;
  to: Date;
  /** The paid price; null if unknown. */
  price: string | null;
  /** The cost without a discount. */
  regular: string | null;
  currency: string;
  /** Title of the discount that decided the price; null if none did or it has none. */
  title: string | null;
  titles: Record<string, string> | null;
  /** True if that title is from the demo data. */
  demo: boolean;
  isDiscounted: boolean;
}

/**
 * What an item cost from `since` to `until`, in order and without gaps. Prices are those shown at the time: a discount
 * that an operator ended early lasted until then. The first known regular price also counts for the time before it,
 * because an import may bring past discounts along with a new item. Prices before a change of currency are left out,
 * because they cannot be compared.
 */
export function priceSteps(
  prices: readonly PriceVersion[],
  discounts: readonly DiscountVersion[],
  { since, until }: { since: Date; until: Date },
): PriceStep[] {
  const regular = prices.filter(isSpan).toSorted((a, b) => a.valid_from.getTime() - b.valid_from.getTime());
  const last = regular.at(-1);
  if (!last) return [];
  const spans = discounts.map(toSpan).filter(({ from, to }) => from < to);
  const start = firstMoment(regular, spans);
  const times = [start, ...regular.map(({ valid_from }) => valid_from.getTime())]
    .concat(spans.flatMap(({ from, to }) => [from, to]))
    .filter((time) => time >= start && time < until.getTime() && time > since.getTime());
  const moments = [...new Set([Math.max(start, since.getTime()), ...times])].sort((a, b) => a - b);
  if (moments[0] === undefined || moments[0] >= until.getTime()) return [];
  const ranks: Ranks = new Map();
  const steps = moments.map((from, place) => {
    const to = moments[place + 1] ?? until.getTime();
    return { from: new Date(from), to: new Date(to), ...costAt(from, regular, spans, ranks) };
  });
  return joinEqual(withoutOtherCurrencies(steps));
}

/** A version of a discount with the period, in epoch milliseconds, when it counted. */
interface Span extends DiscountVersion {
  from: number;
  to: number;
}

/** Spans, best first, by regular price: cached because there are many times and few regular prices. */
type Ranks = Map<PriceVersion | undefined, Offer<Span>[]>;

function toSpan(version: DiscountVersion): Span {
  const from = Math.max(version.starts_at.getTime(), version.valid_from.getTime());
  const to = Math.min(timeOf(version.ends_at), timeOf(version.valid_to));
  return { ...version, from, to };
}

function timeOf(end: Date | null): number {
  return end === null ? Number.POSITIVE_INFINITY : end.getTime();
}

function isSpan({ valid_from, valid_to }: PriceVersion): boolean {
  return valid_to === null || valid_from < valid_to;
}

function firstMoment(prices: PriceVersion[], spans: Span[]): number {
  return Math.min(
    ...prices.slice(0, 1).map(({ valid_from }) => valid_from.getTime()),
    ...spans.map(({ from }) => from),
  );
}

function costAt(time: number, prices: PriceVersion[], spans: Span[], ranks: Ranks) {
  const known = prices.findLast(({ valid_from }) => valid_from.getTime() <= time) ?? prices[0];
  const item = { price: known?.price ?? null, currency: known?.currency ?? "" };
  const ranked = ranks.get(known) ?? rankDiscounts(item, spans);
  ranks.set(known, ranked);
  const best = ranked.find(({ discount: { from, to } }) => from <= time && time < to);
  return {
    price: best?.newPrice ?? item.price,
    regular: item.price,
    currency: item.currency,
    title: best?.discount.title ?? null,
    titles: best?.discount.titles ?? null,
    demo: best?.discount.demo ?? false,
    isDiscounted: best !== undefined,
  };
}

function withoutOtherCurrencies(steps: PriceStep[]): PriceStep[] {
  const currency = steps.at(-1)?.currency;
  return steps.slice(steps.findLastIndex((step) => step.currency !== currency) + 1);
}

/** Joins steps that look the same, for example if another discount began but did not win. */
function joinEqual(steps: PriceStep[]): PriceStep[] {
  const joined: PriceStep[] = [];
  for (const step of steps) {
    const last = joined.at(-1);
    const isSame = last?.price === step.price && last.regular === step.regular && last.title === step.title;
    if (last && isSame) last.to = step.to;
    else joined.push({ ...step });
  }
  return joined;
}
