import type { Outage } from "./history/outages.ts";
import type { LocaleWords } from "./locale-words.ts";
import type { Period } from "./spans.ts";

/** How long buckets of five minutes are kept; older outages are exact to the hour (see selectFailures). */
const EXACT_MS = 13 * 86_400_000;
/** An unstable server has hundreds a day. */
const LISTED = 50;

export interface OutageList {
  /** The newest first. */
  rows: { from: Date; to: Date | null; length: string }[];
  /** How many earlier ones are left out. */
  earlier: number;
  /** Some are so old that only hours are kept. */
  areOld: boolean;
}

/** A range's outages as its page lists them. One that goes on has lasted at least until the last poll. */
export function listOutages(outages: Outage[], checkedAt: Date | null, words: LocaleWords): OutageList {
  const newest = outages.slice(-LISTED).reverse();
  return {
    rows: newest.map(({ from, to }) => ({
      from,
      to,
      length: lengthText((to ?? checkedAt ?? from).getTime() - from.getTime(), words),
    })),
    earlier: outages.length - newest.length,
    areOld: newest.some(({ from }) => Date.now() - from.getTime() > EXACT_MS),
  };
}

/** The same for the chart, in epoch seconds. */
export function outagePeriods(outages: Outage[], checkedAt: Date | null): Period[] {
  const seconds = (time: Date) => Math.round(time.getTime() / 1000);
  return outages.map(({ from, to }) => ({ from: seconds(from), to: seconds(to ?? checkedAt ?? from) }));
}

/** A duration in its two largest units: `3 h 20 min`. */
export function lengthText(ms: number, { t, number }: LocaleWords): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return t("servers.length.less");
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24, minutes % 60];
  const parts = [
    days > 0 && t("servers.length.days", { figure: number(days) }),
    hours > 0 && t("servers.length.hours", { figure: number(hours) }),
    days === 0 && rest > 0 && t("servers.length.minutes", { figure: number(rest) }),
  ];
  return parts.filter(Boolean).join(" ");
}
