/** Codes of ISO 4217 that are in use, by https://tc39.es/ecma402/#sec-availablecanonicalcurrencies. */
const ISO_CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

/** More digits after the point the tables do not keep, though some currencies have three (KWD). */
const MOST_DIGITS = 2;

/** A formatter is slow to make, and a shop's currencies are few. */
const known = new Map<string, number>();

/**
 * Digits after the point in amounts of a currency: by ISO 4217, at most two; 0 for any other code, because a game's own
 * coins are not divided.
 */
export function digitsOf(currency: string): number {
  const digits = known.get(currency) ?? readDigits(currency);
  known.set(currency, digits);
  return digits;
}

/**
 * A price as it is shown: "223.00" is "223" where its currency has no fraction. One that has a fraction all the same
 * ("12.50" of a game's coins) keeps it.
 */
export function shownDigits(price: string, currency: string): string {
  return digitsOf(currency) === 0 ? price.replace(/\.0+$/, "") : price;
}

function readDigits(currency: string): number {
  if (!ISO_CODES.has(currency)) return 0;
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return Math.min(MOST_DIGITS, format.resolvedOptions().maximumFractionDigits ?? MOST_DIGITS);
}
