import { comparePrices } from "./prices.ts";
import type { ShopItem } from "./queries.ts";

/** A low: a decimal text in the item's currency, and when the price was last lowered to it. */
export interface PriceLow {
  price: string;
  since: Date;
}

/** The low of all time, or that of the last 90 days. */
export type LowName = "ever" | "lately";

/** The lowest prices of an item that had more than one. */
export interface PriceLows {
  /** The low of all recorded time. */
  ever: PriceLow;
  /** The low of the last 90 days; undefined if the price did not change in them. */
  lately?: PriceLow;
}

/** What a page says about an item's lows beside its price. */
export interface ShownLows {
  /** The low that the price is at now. */
  at?: LowName;
  /** The low of all time, unless the price is at it. */
  ever?: PriceLow;
  /** The low of the last 90 days, unless the price is at it or it is the low of all time. */
  lately?: PriceLow;
}

/** Compares an item's price with each low. Undefined without a price to compare. */
export function showLows(
  { price, sale }: Pick<ShopItem, "price" | "sale">,
  lows: PriceLows | undefined,
): ShownLows | undefined {
  if (!lows) return undefined;
  const { ever, lately } = lows;
  const cost = sale?.newPrice ?? price;
  const at = lowAt(cost, lows);
  if (at === "ever") return { at };
  if (lately === undefined || comparePrices(lately.price, ever.price) === 0) return { ever };
  return at === "lately" ? { at, ever } : { ever, lately };
}

/** The low that a price is at; null: none, or no price is known. */
export function lowAt(cost: string | null, lows: PriceLows | undefined): LowName | null {
  const isAt = (low: PriceLow | undefined) =>
    cost !== null && low !== undefined && comparePrices(cost, low.price) <= 0;
  if (isAt(lows?.ever)) return "ever";
  return isAt(lows?.lately) ? "lately" : null;
}
