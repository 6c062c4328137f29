import { comparePrices, type DiscountTerms, loweredPrice, type Priced } from "../records/prices/prices.ts";
import type { Phase } from "../records/prices/queries.ts";
import { formatFor } from "../web/request/format.ts";
import { digitsOf } from "../words/currencies.ts";
import { FALLBACK, type Language } from "../words/i18n/languages.ts";
import { type LazyText, lazyText, translateText } from "../words/i18n/lazy-text.ts";

/** The error of a field of a discount; completes the sentence "<label> …" in any language. */
export interface FieldError extends LazyText {
  /** The item whose price the text contains, as `{{price}}`. */
  readonly item?: Priced;
}

export type DiscountErrors = Partial<Record<"percent" | "price" | "starts" | "ends", FieldError>>;

/** Renders an error in a language, with its price in that language's format. */
export function sayError({ key, values, item }: FieldError, language: Language = FALLBACK): string {
  const price = item && { price: formatFor(language).money(item.price, item.currency) };
  return translateText({ key, values: { ...values, ...price } }, language);
}

/** A discount as an operator enters it. */
export interface DiscountInput {
  title: string | null;
  /** Titles by locale. */
  titles: Record<string, string>;
  terms: DiscountTerms;
  /** Null for "at once". */
  startsAt: Date | null;
  /** Null until an operator ends it. */
  endsAt: Date | null;
  announced: boolean;
}

/** The result of saving an input. */
export interface DiscountPlan extends DiscountInput {
  startsAt: Date;
  /** True if it starts when it is saved, regardless of `startsAt`. */
  isAtOnce: boolean;
  newPrice: string;
}

/** A start that passed less than this ago counts as "now": reading the preview takes a while. */
const GRACE_MS = 3_600_000;

/**
 * Plans a discount of an item, or returns what is wrong with it. A running discount keeps its start; one that has
 * ended needs a new period.
 * @param known the period of the discount to change; undefined for a new one
 * @param now by the database's clock
 */
export function planDiscount(
  input: DiscountInput,
  item: Priced,
  known: { starts_at: Date; ends_at: Date | null } | undefined,
  now: Date,
): { plan: DiscountPlan; errors?: undefined } | { plan?: undefined; errors: DiscountErrors } {
  const hasStarted = known !== undefined && phaseAt(known, now) === "running";
  const isAtOnce = !hasStarted && (input.startsAt === null || isJustOver(input.startsAt, now));
  const startsAt = hasStarted ? known.starts_at : isAtOnce ? now : (input.startsAt ?? now);
  const errors = {
    ...errorOfTerms(item, input.terms),
    ...(hasStarted ? errorOfMove(input, startsAt) : errorOfStart(startsAt, now)),
    ...errorOfEnd(input.endsAt, startsAt, now),
  };
  const newPrice = loweredPrice(item, input.terms);
  if (newPrice === null || Object.keys(errors).length > 0) return { errors };
  return { plan: { ...input, startsAt, isAtOnce, newPrice } };
}

/** A discount runs from its start, inclusive, to its end, exclusive. */
export function phaseAt({ starts_at, ends_at }: { starts_at: Date; ends_at: Date | null }, now: Date): Phase {
  if (starts_at > now) return "coming";
  return ends_at !== null && ends_at <= now ? "past" : "running";
}

function isJustOver(time: Date, now: Date): boolean {
  const agoMs = now.getTime() - time.getTime();
  return agoMs >= 0 && agoMs <= GRACE_MS;
}

function errorOfTerms(item: Priced, terms: DiscountTerms): DiscountErrors {
  const isNoLower = loweredPrice(item, terms) === null;
  if (terms.percent !== null) {
    if (item.price === null) return { percent: lazyText("operator.error.no_price") };
    return isNoLower ? { percent: { ...lazyText("operator.error.nothing_off"), item } } : {};
  }
  const error = terms.price === null ? undefined : errorOfFraction(terms.price, item);
  if (error) return { price: error };
  return isNoLower ? { price: { ...lazyText("operator.error.not_below"), item } } : {};
}

/** The error of a price's fraction; undefined if the price may have one, or has none. */
export function errorOfFraction(price: string, item: Priced): LazyText | undefined {
  if (isWhole(price) || mayHaveFraction(item)) return undefined;
  return lazyText("operator.error.whole", { currency: item.currency });
}

function mayHaveFraction({ price, currency }: Priced): boolean {
  return digitsOf(currency) > 0 || (price !== null && !isWhole(price));
}

function isWhole(price: string): boolean {
  return comparePrices(price, price.split(".", 1)[0] ?? price) === 0;
}

function errorOfMove({ startsAt }: DiscountInput, started: Date): DiscountErrors {
  const isMoved = startsAt !== null && startsAt.getTime() !== started.getTime();
  return isMoved ? { starts: lazyText("operator.error.started") } : {};
}

function errorOfStart(startsAt: Date, now: Date): DiscountErrors {
  return startsAt < now ? { starts: lazyText("operator.error.start_passed") } : {};
}

function errorOfEnd(endsAt: Date | null, startsAt: Date, now: Date): DiscountErrors {
  if (endsAt === null) return {};
  if (endsAt <= startsAt) return { ends: lazyText("operator.error.end_before_start") };
  return endsAt <= now ? { ends: lazyText("operator.error.end_passed") } : {};
}
