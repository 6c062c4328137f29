import type { Db } from "../db/connect.ts";
import type { ShopItem } from "../records/prices/queries.ts";
import type { Locale } from "../web/request/locale.ts";
import { describePrices, drawPriceChart } from "./price-chart.ts";
import { type PriceStep, priceSteps } from "./price-history.ts";
import { loadPriceVersions } from "./price-history-queries.ts";

const YEAR_MS = 365 * 24 * 3_600_000;
/** The table shows the newest so many; the chart shows all. */
const ROWS = 100;

/** An item's prices of the last year, for its page; no `chart` where they did not change. */
export interface HistoryPanel {
  chart?: string;
  summary: { html: string };
  /** True if the chart also draws regular prices. */
  hasRegular: boolean;
  /** The newest first; `isCut` where older ones are left out. */
  steps: PriceStep[];
  isCut: boolean;
  since: Date;
  until: Date;
}

/** Undefined where no price is known. `name` is the name shown on the page. */
export async function describeHistory(
  db: Db,
  item: Pick<ShopItem, "key" | "name">,
  now: Date,
  locale: Pick<Locale, "language" | "t" | "format">,
): Promise<HistoryPanel | undefined> {
  const yearAgo = new Date(now.getTime() - YEAR_MS);
  const { prices, discounts, since } = await loadPriceVersions(db, item.key, yearAgo);
  const steps = priceSteps(prices, discounts, { since, until: now });
  const [first] = steps;
  if (!first || steps.every(({ price }) => price === null)) return undefined;
  return {
    ...(steps.length > 1 && { chart: drawPriceChart({ name: item.name, steps }, locale) }),
    summary: { html: describePrices(steps, locale) },
    hasRegular: steps.some(({ isDiscounted, regular }) => isDiscounted && regular !== null),
    steps: steps.toReversed().slice(0, ROWS),
    isCut: steps.length > ROWS,
    since: first.from,
    until: now,
  };
}
