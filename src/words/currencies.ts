import { memoize } from "../settings/memoize.ts";

/** Codes of ISO 4217 in use, by https://tc39.es/ecma402/#sec-availablecanonicalcurrencies. Old browsers do not tell. */
const ISO_CODES: ReadonlySet<string> = new Set(
  (Intl as Partial<typeof Intl>).supportedValuesOf?.("currency"),
);

/** A currency that is one sign: `$`. */
const SIGN = /^\p{Sc}$/u;

/** The tables keep no more digits, though some currencies have three (KWD). */
const MOST_DIGITS = 2;

/** The name of a currency, or its plural forms: `coin`, `coins`. */
export type CurrencyName = string | Partial<Record<Intl.LDMLPluralRule, string>>;

/** Names by locale, as Intl takes it, and by the currency's code. */
export type CurrencyNames = ReadonlyMap<string, ReadonlyMap<string, CurrencyName>>;

let names: CurrencyNames = new Map();

/** Makes the operator's names of currencies known to this process, in place of those before. */
export function setCurrencyNames(known: CurrencyNames): void {
  names = known;
}

/** Digits after the point in amounts of a currency: by ISO 4217, at most two; 0 for a game's own coins. */
export const digitsOf = memoize((currency: string): number => {
  if (!ISO_CODES.has(currency)) return 0;
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return Math.min(MOST_DIGITS, format.resolvedOptions().maximumFractionDigits ?? MOST_DIGITS);
});

/**
 * A price as shown: "223.00" is "223" if its currency has no fraction, and "12.5" is "12.50" if it has two digits. Other
 * prices stay.
 */
export function shownDigits(price: string, currency: string): string {
  const digits = digitsOf(currency);
  if (digits === 0) return price.replace(/\.0+$/, "");
  return price.replace(/\.\d+$/, (fraction) => fraction.padEnd(1 + digits, "0"));
}

/**
 * A price for readers of a language, as Intl names it: `499.00 EUR`, `335 JPY`. Where the currency is a sign, it stands
 * where that language has it: `$220,000`. A name of the operator's takes the place of the code: `1 coin`. Stays a decimal
 * text, to avoid floats.
 */
export function moneyText(locale: string, price: string, currency: string): string {
  const digits = shownDigits(price, currency);
  const fraction = digits.split(".")[1]?.length ?? 0;
  const amount = amounts(locale, fraction).format(digits as `${number}`);
  const form = pluralRules(locale, fraction).select(Number(digits));
  const name = currencyName(locale, currency, form);
  return SIGN.test(name) && putsSignFirst(locale) ? name + amount : `${amount} ${name}`;
}

/** A currency's name, by default without a number. */
export function currencyName(locale: string, currency: string, form: Intl.LDMLPluralRule = "other"): string {
  const name = names.get(locale)?.get(currency) ?? currency;
  return typeof name === "string" ? name : (name[form] ?? name.other ?? Object.values(name)[0] ?? currency);
}

const pluralRules = memoize(
  (locale: string, fraction: number) => new Intl.PluralRules(locale, { minimumFractionDigits: fraction }),
);

const amounts = memoize((locale: string, fraction: number) => {
  const options = { minimumFractionDigits: fraction, maximumFractionDigits: fraction };
  return new Intl.NumberFormat(locale, options);
});

/** Whether signs of currencies stand before the amount. */
const putsSignFirst = memoize((locale: string): boolean => {
  const format = new Intl.NumberFormat(locale, { style: "currency", currency: "USD" });
  return format.formatToParts(1)[0]?.type === "currency";
});
