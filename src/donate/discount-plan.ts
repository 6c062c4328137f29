import { digitsOf } from "../currencies.ts";
import { comparePrices, type DiscountTerms, loweredPrice, type Priced } from "../prices/prices.ts";
import type { Phase } from "../prices/queries.ts";
import type { Fault, WishFaults } from "./wish-faults.ts";

/** What somebody wants of a discount. */
export interface DiscountWish {
  title: string | null;
  terms: DiscountTerms;
  /** null: at once. */
  startsAt: Date | null;
  /** null: until somebody ends it. */
  endsAt: Date | null;
  announced: boolean;
}

/** A wish that can be fulfilled, with what comes of it. */
export interface DiscountPlan extends DiscountWish {
  startsAt: Date;
  /** It starts when it is saved, whatever time is named. */
  isAtOnce: boolean;
  newPrice: string;
}

/** A start that passed this long ago was meant as "now": it took a while to read what would come of it. */
const GRACE_MS = 3_600_000;

/**
 * What comes of a wish for an item, or what is wrong with it. One that runs keeps its start; one that is over can only
 * be run again, which is a new period.
 * @param known the period of the discount that is to be changed; undefined: a new one
 * @param now by the database's clock
 */
export function planDiscount(
  wish: DiscountWish,
  item: Priced,
  known: { starts_at: Date; ends_at: Date | null } | undefined,
  now: Date,
): { plan: DiscountPlan; faults?: undefined } | { plan?: undefined; faults: WishFaults } {
  const hasStarted = known !== undefined && phaseAt(known, now) === "running";
  const isAtOnce = !hasStarted && (wish.startsAt === null || isJustOver(wish.startsAt, now));
  const startsAt = hasStarted ? known.starts_at : isAtOnce ? now : (wish.startsAt ?? now);
  const faults = {
    ...faultOfTerms(item, wish.terms),
    ...(hasStarted ? faultOfMove(wish, startsAt) : faultOfStart(startsAt, now)),
    ...faultOfEnd(wish.endsAt, startsAt, now),
  };
  const newPrice = loweredPrice(item, wish.terms);
  if (newPrice === null || Object.keys(faults).length > 0) return { faults };
  return { plan: { ...wish, startsAt, isAtOnce, newPrice } };
}

/** Where a discount stands: it runs from its start, inclusive, to its end, exclusive. */
export function phaseAt({ starts_at, ends_at }: { starts_at: Date; ends_at: Date | null }, now: Date): Phase {
  if (starts_at > now) return "coming";
  return ends_at !== null && ends_at <= now ? "past" : "running";
}

function isJustOver(time: Date, now: Date): boolean {
  const agoMs = now.getTime() - time.getTime();
  return agoMs >= 0 && agoMs <= GRACE_MS;
}

function faultOfTerms(item: Priced, terms: DiscountTerms): WishFaults {
  const isNoLower = loweredPrice(item, terms) === null;
  if (terms.percent !== null) {
    if (item.price === null) return { percent: fault("operator.fault.no_price") };
    return isNoLower ? { percent: { ...fault("operator.fault.nothing_off"), item } } : {};
  }
  if (terms.price !== null && !isWhole(terms.price) && !mayHaveFraction(item))
    return { price: { key: "operator.fault.whole", values: { currency: item.currency } } };
  return isNoLower ? { price: { ...fault("operator.fault.not_below"), item } } : {};
}

function mayHaveFraction({ price, currency }: Priced): boolean {
  return digitsOf(currency) > 0 || (price !== null && !isWhole(price));
}

function isWhole(price: string): boolean {
  return comparePrices(price, price.split(".", 1)[0] ?? price) === 0;
}

function faultOfMove({ startsAt }: DiscountWish, started: Date): WishFaults {
  const isMoved = startsAt !== null && startsAt.getTime() !== started.getTime();
  return isMoved ? { starts: fault("operator.fault.started") } : {};
}

function faultOfStart(startsAt: Date, now: Date): WishFaults {
  return startsAt < now ? { starts: fault("operator.fault.start_passed") } : {};
}

function faultOfEnd(endsAt: Date | null, startsAt: Date, now: Date): WishFaults {
  if (endsAt === null) return {};
  if (endsAt <= startsAt) return { ends: fault("operator.fault.end_before_start") };
  return endsAt <= now ? { ends: fault("operator.fault.end_passed") } : {};
}

function fault(key: Fault["key"]): Fault {
  return { key, values: {} };
}
