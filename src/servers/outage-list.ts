import { lengthText } from "../../public/js/servers-words.js";
import type { Outage } from "./history/outages.ts";
import type { Period } from "./spans.ts";

/** A server that falters all day has hundreds; the newest of them are what anybody reads. */
const LISTED = 50;

export interface OutageList {
  /** The newest first. */
  rows: { from: Date; to: Date | null; length: string }[];
  /** How many earlier ones are left out. */
  earlier: number;
}

/** A range's outages as its page lists them. One that goes on is known to have lasted until the last poll. */
export function listOutages(outages: Outage[], checkedAt: Date | null): OutageList {
  const newest = outages.slice(-LISTED).reverse();
  return {
    rows: newest.map(({ from, to }) => ({
      from,
      to,
      length: lengthText((to ?? checkedAt ?? from).getTime() - from.getTime()),
    })),
    earlier: outages.length - newest.length,
  };
}

/** The same for the chart, in epoch seconds. */
export function outagePeriods(outages: Outage[], checkedAt: Date | null): Period[] {
  const seconds = (time: Date) => Math.round(time.getTime() / 1000);
  return outages.map(({ from, to }) => ({ from: seconds(from), to: seconds(to ?? checkedAt ?? from) }));
}
