import type { Locale } from "../../web/request/locale.ts";
import type { PreviewFigure } from "./card.ts";

/** A price in the form that views/partials/price.ejs expects. */
interface Price {
  readonly amount: string | null;
  readonly currency: string;
  readonly before?: string | null | undefined;
}

/** A price on a card; `saved` is in whole percent. Undefined if no price is set. */
export function priceFigure(
  { amount, currency, before }: Price,
  saved: number | undefined,
  { format }: Pick<Locale, "format">,
): PreviewFigure | undefined {
  if (amount === null) return undefined;
  return {
    text: format.money(amount, currency),
    before: before == null ? undefined : format.money(before, currency),
    badge: saved === undefined || saved < 1 ? undefined : `−${format.share(saved / 100)}`,
  };
}
