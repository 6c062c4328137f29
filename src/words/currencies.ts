/** Codes of ISO 4217 in use, by https://tc39.es/ecma402/#sec-availablecanonicalcurrencies. Old browsers do not tell. */
const ISO_CODES: ReadonlySet<string> = new Set(
  (Intl as Partial<typeof Intl>).supportedValuesOf?.("currency"),
);

/** A currency that is one sign: `$`. */
const SIGN = /^\p{Sc}$/u;

/** The tables keep no more digits, though some currencies have three (KWD). */
const MOST_DIGITS = 2;

/** A formatter is slow to make. */
const known = new Map<string, number>();

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
export function digitsOf(currency: string): number {
  const digits = known.get(currency) ?? readDigits(currency);
  known.set(currency, digits);
  return digits;
}

/** A price as shown: "223.00" is "223" where its currency has no fraction; a fraction that is there ("12.50") stays. */
export function shownDigits(price: string, currency: string): string {
  return digitsOf(currency) === 0 ? price.replace(/\.0+$/, "") : price;
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

/** By locale and digits of the fraction. */
const rules = new Map<string, Intl.PluralRules>();

function pluralRules(locale: string, fraction: number): Intl.PluralRules {
  const key = `${locale} ${fraction}`;
  const made = rules.get(key) ?? new Intl.PluralRules(locale, { minimumFractionDigits: fraction });
  rules.set(key, made);
  return made;
}

/** Formats by locale and digits of the fraction, which has three variants. */
const formats = new Map<string, Intl.NumberFormat>();

function amounts(locale: string, fraction: number): Intl.NumberFormat {
  const key = `${locale} ${fraction}`;
  const options = { minimumFractionDigits: fraction, maximumFractionDigits: fraction };
  const format = formats.get(key) ?? new Intl.NumberFormat(locale, options);
  formats.set(key, format);
  return format;
}

/** By locale: whether signs of currencies stand before the amount. */
const signsFirst = new Map<string, boolean>();

function putsSignFirst(locale: string): boolean {
  const isFirst =
    signsFirst.get(locale) ??
    new Intl.NumberFormat(locale, { style: "currency", currency: "USD" }).formatToParts(1)[0]?.type ===
      "currency";
  signsFirst.set(locale, isFirst);
  return isFirst;
}

function readDigits(currency: string): number {
  if (!ISO_CODES.has(currency)) return 0;
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return Math.min(MOST_DIGITS, format.resolvedOptions().maximumFractionDigits ?? MOST_DIGITS);
}
