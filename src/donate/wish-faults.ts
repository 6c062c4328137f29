import { formatFor } from "../http/format.ts";
import { FALLBACK, type Language } from "../i18n/languages.ts";
import { type Said, say } from "../i18n/said.ts";
import type { Priced } from "../prices/prices.ts";

/** What is wrong with a field of a discount; completes the sentence "<label> …" in any language. */
export interface Fault extends Said {
  /** An item whose price the text names, as `{{price}}`. */
  readonly item?: Priced;
}

/** What is wrong with a wish, by field. */
export type WishFaults = Partial<Record<"percent" | "price" | "starts" | "ends", Fault>>;

/** Says a fault in a language, with its price as that writes prices. */
export function sayFault({ key, values, item }: Fault, language: Language = FALLBACK): string {
  const price = item && { price: formatFor(language).money(item.price, item.currency) };
  return say({ key, values: { ...values, ...price } }, language);
}
