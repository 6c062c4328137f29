/** Describes a bucket of a server's chart in the viewer's time zone. */
import type { ChartFigures } from "../../../src/servers/chart-data.ts";
import { words } from "./language.ts";

const { t, number, locale } = words;

/** Writes a chart's times. `byDay`: its buckets are days of UTC, which no time zone moves. */
export function formatOf(byDay: boolean, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const timeZone = byDay ? "UTC" : window.viewerTimes.zone;
  return new Intl.DateTimeFormat(locale, { ...options, timeZone });
}

/** A function that says the bucket at a place. */
export function readerOf(figures: ChartFigures, byDay: boolean): (place: number) => string {
  const whenOf = timesOf(figures, byDay);
  return (place) =>
    t("script.servers.chart.bucket", { when: whenOf(place), figures: figuresOf(figures, place) });
}

function timesOf({ from, interval }: ChartFigures, byDay: boolean): (place: number) => string {
  const day = formatOf(byDay, {
    weekday: "short",
    day: "numeric",
    month: "short",
    ...(byDay && { year: "numeric" }),
  });
  const clock = formatOf(byDay, { hour: "2-digit", minute: "2-digit" });
  return (place) => {
    const startOf = (at: number) => new Date((from + at * interval) * 1000);
    const [start, end] = [startOf(place), startOf(place + 1)];
    return byDay
      ? t("script.servers.chart.day", { day: day.format(start) })
      : `${day.format(start)}, ${clock.format(start)}–${clock.format(end)}`;
  };
}

function figuresOf({ online, lowest, highest, queue, up }: ChartFigures, place: number): string {
  const [count, least, most, waiting, share] = [online, lowest, highest, queue, up].map(
    (counts) => counts?.[place],
  );
  if (count == null && share == null) return t("script.servers.chart.not_measured");
  if (count == null)
    return share === 0 ? t("script.servers.chart.offline") : t("script.servers.chart.not_told");
  const figure = number(count);
  const parts = [
    least != null && most != null
      ? t("script.servers.chart.mean", { figure, lowest: number(least), highest: number(most) })
      : t("script.servers.chart.online", { figure }),
  ];
  if (waiting != null) parts.push(t("script.servers.chart.queue", { figure: number(waiting) }));
  if (share != null && share < 1)
    parts.push(t("script.servers.chart.up", { figure: number(Math.round(share * 1000) / 10) }));
  return parts.join(", ");
}
