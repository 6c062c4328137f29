import ejs from "ejs";
import type { LocaleWords } from "./locale-words.ts";
import { findSpans } from "./spans.ts";
import type { Standing } from "./standing.ts";

/** Outages of a day: under about two minutes, under an hour, or longer. */
type DayState = "up" | "partly" | "down" | "unknown";

const UP = 0.9985;
const PARTLY = 23 / 24;
const HEIGHT = 24;
/** The worse a day, the shorter its bar, because colour alone would not be enough. */
const TOPS: Readonly<Record<DayState, number>> = { up: 0, partly: 8, down: 16, unknown: 22 };
const STATES = ["up", "partly", "down", "unknown"] as const satisfies readonly DayState[];

/** How a day went, by the share of its polls that found the server online. */
export function dayState(up: number | null): DayState {
  if (up === null) return "unknown";
  if (up >= UP) return "up";
  return up >= PARTLY ? "partly" : "down";
}

/**
 * The days of a standing as a strip for a row of a list. Equal neighbours form one piece, because a list has hundreds
 * of rows.
 */
export function drawUptimeStrip(standing: Pick<Standing, "days" | "uptime">, words: LocaleWords): string {
  const { days } = standing;
  const pieces = STATES.flatMap((state) => {
    const spans = findSpans(days.map(dayState), (day) => day === state);
    if (spans.length === 0) return [];
    const path = spans.map(({ start, end }) => `M${start} ${TOPS[state]}h${end - start}V${HEIGHT}H${start}z`);
    return [`<path class="day-${state}" d="${path.join("")}"/>`];
  });
  return svg(days.length, pieces, uptimeText(standing, words));
}

/**
 * The days of a standing, one bar each, which show their day and share under the pointer.
 * @param times starts of the days, in epoch seconds
 */
export function drawUptimeBar(
  standing: Pick<Standing, "days" | "uptime">,
  times: readonly number[],
  words: LocaleWords,
): string {
  const dates = new Intl.DateTimeFormat(words.locale, { day: "numeric", month: "short", timeZone: "UTC" });
  const bars = standing.days.map((up, place) => {
    const state = dayState(up);
    const day = dates.format((times[place] ?? 0) * 1000);
    const text =
      up === null
        ? words.t("servers.standing.day_unknown", { day })
        : words.t("servers.standing.day", { day, share: words.share(up) });
    return (
      `<rect class="day-${state}" x="${place}.1" y="${TOPS[state]}" width=".8" height="${HEIGHT - TOPS[state]}">` +
      `<title>${ejs.escapeXML(text)}</title></rect>`
    );
  });
  return svg(standing.days.length, bars, uptimeText(standing, words));
}

/** `Uptime in 90 days: 99.8 %. Days with outages: 3.`, or that nothing is known. */
function uptimeText({ days, uptime }: Pick<Standing, "days" | "uptime">, { t, number, share }: LocaleWords) {
  if (uptime === null) return t("servers.standing.unknown");
  const worse = days.map(dayState).filter((state) => state === "partly" || state === "down").length;
  return t("servers.standing.summary", { share: share(uptime), figure: number(worse) });
}

function svg(width: number, pieces: readonly string[], label: string): string {
  return (
    `<svg class="uptime-bar" viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" role="img" ` +
    `aria-label="${ejs.escapeXML(label)}">${pieces.join("")}</svg>`
  );
}
