/** What a bucket of a server's chart holds, in words, in the viewer's time zone. */
import { words } from "./servers-language.ts";

const { t, number, locale } = words;

/** A function that says the bucket at a place. `byDay`: the buckets are days of UTC, which no time zone moves. */
export function readerOf(figures, byDay) {
  const whenOf = timesOf(figures, byDay);
  return (place) =>
    t("script.servers.chart.bucket", { when: whenOf(place), figures: figuresOf(figures, place) });
}

function timesOf({ from, interval }, byDay) {
  const timeZone = byDay ? "UTC" : window.viewerTimes.zone;
  const format = (options) => new Intl.DateTimeFormat(locale, { ...options, timeZone });
  const day = format({ weekday: "short", day: "numeric", month: "short", ...(byDay && { year: "numeric" }) });
  const clock = format({ hour: "2-digit", minute: "2-digit" });
  return (place) => {
    const [start, end] = [place, place + 1].map((at) => new Date((from + at * interval) * 1000));
    return byDay
      ? t("script.servers.chart.day", { day: day.format(start) })
      : `${day.format(start)}, ${clock.format(start)}–${clock.format(end)}`;
  };
}

function figuresOf({ online, lowest, highest, queue, up }, place) {
  if (online[place] === null && up[place] === null) return t("script.servers.chart.not_measured");
  if (online[place] === null)
    return up[place] === 0 ? t("script.servers.chart.offline") : t("script.servers.chart.not_told");
  const figure = number(online[place]);
  const parts = [
    highest
      ? t("script.servers.chart.mean", {
          figure,
          lowest: number(lowest[place]),
          highest: number(highest[place]),
        })
      : t("script.servers.chart.online", { figure }),
  ];
  if (queue && queue[place] !== null)
    parts.push(t("script.servers.chart.queue", { figure: number(queue[place]) }));
  if (up[place] !== null && up[place] < 1)
    parts.push(t("script.servers.chart.up", { figure: number(Math.round(up[place] * 1000) / 10) }));
  return parts.join(", ");
}
