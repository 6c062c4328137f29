import type { Db } from "../db/connect.ts";
import type { Locale } from "../http/locale.ts";
import type { ShopItem } from "../prices/queries.ts";
import { describePrices, drawPriceChart } from "./price-chart.ts";
import { type PriceStep, priceSteps } from "./price-history.ts";
import { loadPriceVersions } from "./price-history-queries.ts";

const YEAR_MS = 365 * 24 * 3_600_000;
/** Rows that the table shows, the newest; the chart shows all. */
const ROWS = 100;

/** What an item's page shows of its prices of the last year; `chart` is left out where they did not change. */
export interface HistoryPanel {
  chart?: string;
  summary: string;
  /** Whether the chart has a price without a discount beside what it cost. */
  hasRegular: boolean;
  /** The newest first; not all of them where `isCut`. */
  steps: PriceStep[];
  isCut: boolean;
  since: Date;
  /** In which the days of the chart's axis begin. */
  timeZone: string;
}

/** Undefined where no price is known at all. `name` is the item's on the page. */
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
    summary: describePrices(steps, locale),
    hasRegular: steps.some(({ isDiscounted, regular }) => isDiscounted && regular !== null),
    steps: steps.toReversed().slice(0, ROWS),
    isCut: steps.length > ROWS,
    since: first.from,
    timeZone: locale.format.timeZone ?? "UTC",
  };
}
