import type { Format } from "../../web/request/format.ts";
import { digitsOf } from "../../words/currencies.ts";
import type { Translate } from "../../words/i18n/translate.ts";

/**
 * All arithmetic on prices. They are decimal texts with two digits after the point, as in the database ("12.50").
 * Calculations use whole hundredths, not floats: 0.1 + 0.2 must be 0.30.
 */

/** An item's cost without a discount; null if unknown. */
export interface Priced {
  price: string | null;
  currency: string;
}

/** The reduction of a discount; exactly one of the two is set. */
export interface DiscountTerms {
  /** Percentage off the price, above 0, up to 100. */
  percent: string | null;
  /** The new price. */
  price: string | null;
}

/**
 * Converts the decimal comma of a typed number to a point, and joins thousands that spaces separate. Undefined for a comma
 * before exactly three digits, which may also separate thousands. A percent sign after the number stays.
 */
export function withPoint(typed: string): string | undefined {
  const number = typed.replaceAll(/(?<=\d)\s(?=\d{3}(?!\d))/g, "");
  if (/^[+-]?[1-9]\d*,\d{3}\s*%?$/.test(number)) return undefined;
  return /^[+-]?\d+,\d+\s*%?$/.test(number) ? number.replace(",", ".") : number;
}

/** What a buyer saves. */
export interface Saving {
  /** Difference of the prices. */
  amount: string;
  /** The same in whole percent of the old price, halves rounded up; 100 only if the item is free. */
  percent: number;
}

const HUNDREDTHS = 100n;
const HUNDRED_PERCENT = 10_000n;

/**
 * The cost of an item under a discount; null for a percentage of an unknown price. A percentage rounds half up to the
 * currency's digits: 33 % off 500 JPY is 335 JPY. If the item's own price has a finer fraction, the new one may too:
 * rounded to whole units, 0.90 less 10 % would cost more than before.
 * @throws RangeError for a text that is not a price
 */
export function discountedPrice({ price, currency }: Priced, terms: DiscountTerms): string | null {
  if (terms.price !== null) return toText(toHundredths(terms.price));
  if (price === null || terms.percent === null) return null;
  const before = toHundredths(price);
  const unit = smallestUnit(before, currency);
  const rest = HUNDRED_PERCENT - toHundredths(terms.percent);
  const divisor = HUNDRED_PERCENT * unit;
  return toText(((before * rest + divisor / 2n) / divisor) * unit);
}

export interface Offer<Discount> {
  discount: Discount;
  newPrice: string;
}

/** The properties that decide the order of discounts. */
type Rankable = DiscountTerms & { id: string; ends_at: Date | null };

/** The first by `rankDiscounts`; undefined if none makes the item cheaper. */
export function bestDiscount<Discount extends Rankable>(
  item: Priced,
  running: readonly Discount[],
): Offer<Discount> | undefined {
  return rankDiscounts(item, running)[0];
}

/**
 * The discounts that make the item cheaper, the lowest price first. At the same price the one that lasts longest, so
 * that the end shown is when the price really changes; then by id.
 */
export function rankDiscounts<Discount extends Rankable>(
  item: Priced,
  discounts: readonly Discount[],
): Offer<Discount>[] {
  return discounts
    .flatMap((discount) => {
      const newPrice = loweredPrice(item, discount);
      return newPrice === null ? [] : [{ discount, newPrice }];
    })
    .sort(
      (a, b) =>
        comparePrices(a.newPrice, b.newPrice) ||
        endOf(b.discount) - endOf(a.discount) ||
        (a.discount.id < b.discount.id ? -1 : 1),
    );
}

/** The new price if it is lower than the item's or the item has none; otherwise null. */
export function loweredPrice(item: Priced, terms: DiscountTerms): string | null {
  const newPrice = discountedPrice(item, terms);
  const lowers = newPrice !== null && (item.price === null || comparePrices(newPrice, item.price) < 0);
  return lowers ? newPrice : null;
}

/** Undefined if the old price is unknown or not higher. */
export function saving(oldPrice: string | null, newPrice: string): Saving | undefined {
  if (oldPrice === null || comparePrices(newPrice, oldPrice) >= 0) return undefined;
  const before = toHundredths(oldPrice);
  const difference = before - toHundredths(newPrice);
  const percent = Number((difference * 200n + before) / (before * 2n));
  const isFree = difference === before;
  return { amount: toText(difference), percent: isFree ? 100 : Math.min(percent, 99) };
}

/** Below 0 if `a` is the lower price, 0 if they are equal. */
export function comparePrices(a: string, b: string): number {
  const difference = toHundredths(a) - toHundredths(b);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** In hundredths. */
function smallestUnit(price: bigint, currency: string): bigint {
  return price % HUNDREDTHS === 0n ? 10n ** BigInt(2 - digitsOf(currency)) : 1n;
}

/** After every date. Not infinite, because two open ends must subtract to 0. */
function endOf({ ends_at }: { ends_at: Date | null }): number {
  return ends_at === null ? Number.MAX_SAFE_INTEGER : ends_at.getTime();
}

function toHundredths(text: string): bigint {
  const match = /^(\d+)(?:\.(\d{1,2})0*)?$/.exec(text);
  if (!match) throw new RangeError(`not a price: ${text}`);
  const [, whole = "", fraction = ""] = match;
  return BigInt(whole) * HUNDREDTHS + BigInt(fraction.padEnd(2, "0"));
}

function toText(hundredths: bigint): string {
  const fraction = (hundredths % HUNDREDTHS).toString().padStart(2, "0");
  return `${hundredths / HUNDREDTHS}.${fraction}`;
}

/** The new price, with the old one if known. Prices are decimal texts. */
export function offerText(
  { old_price, new_price, currency }: { old_price: string | null; new_price: string; currency: string },
  { t, format }: { readonly t: Translate; readonly format: Pick<Format, "money"> },
): string {
  const price = format.money(new_price, currency);
  if (old_price === null) return price;
  return t("feeds.instead_of", { price, before: format.money(old_price, currency) });
}
