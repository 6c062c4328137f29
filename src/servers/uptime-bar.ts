import ejs from "ejs";
import type { History } from "./history/ranges.ts";
import type { LocaleWords } from "./locale-words.ts";
import { findSpans, type Span } from "./spans.ts";
import type { Standing } from "./standing.ts";

/** Outages of a day: under about two minutes, under an hour, or longer. */
type DayState = "up" | "partly" | "down" | "unknown";

const UP = 0.9985;
const PARTLY = 23 / 24;
const BAR_HEIGHT = 24;
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
    const path = spans.map(
      ({ start, end }) => `M${start} ${TOPS[state]}h${end - start}V${BAR_HEIGHT}H${start}z`,
    );
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
      `<rect class="day-${state}" x="${place}.1" y="${TOPS[state]}" width=".8" height="${BAR_HEIGHT - TOPS[state]}">` +
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
    `<svg class="uptime-bar" viewBox="0 0 ${width} ${BAR_HEIGHT}" preserveAspectRatio="none" role="img" ` +
    `aria-label="${ejs.escapeXML(label)}">${pieces.join("")}</svg>`
  );
}

/** Buckets that share a point: still less than a pixel apart, and half the bytes for 500 rows. */
const GROUP = 2;
const HEIGHT = 32;
/** Width of an outage in points: about two pixels. */
const LEAST_WIDTH = 3;

/** With fewer known counts in a row, the line would be specks and dashes. */
const LEAST_KNOWN = 8;

type Day = Pick<History, "online" | "up">;

/** Draws a row's 24 hours; undefined if too little is known of them and there was no outage. */
export function renderSparkline(history: Day, words: LocaleWords): string | undefined {
  const stretches = findSpans(history.online, (count) => count !== null);
  const isKnown = stretches.some(({ start, end }) => end - start >= LEAST_KNOWN);
  return isKnown || history.up.some(wasDown) ? drawSparkline(history, words) : undefined;
}

const wasDown = (up: number | null) => up === 0;

/** A row's 24 hours of online counts, without axes; gaps and outages as in the chart. */
export function drawSparkline({ online, up }: Day, { t, number }: LocaleWords): string {
  const counts = groupAdjacent(online).map(mean);
  const top = online.reduce<number>((highest, count) => Math.max(highest, count ?? 0), 0);
  const y = (count: number) => Math.round(HEIGHT - 2 - (count / Math.max(1, top)) * (HEIGHT - 4));
  const line = findSpans(counts, (count) => count !== null)
    .map((span) =>
      drawRelative(
        counts.slice(span.start, span.end).map((count) => y(count ?? 0)),
        span,
      ),
    )
    .join("");
  const outages = findSpans(groupAdjacent(up).map(wasOffline), Boolean).map(drawOutage);
  const known = online.some((count) => count !== null);
  const label = known ? t("servers.sparkline.peak", { figure: number(top) }) : t("servers.sparkline.unknown");
  return (
    `<svg class="sparkline" viewBox="0 0 ${counts.length} ${HEIGHT}" preserveAspectRatio="none" role="img" ` +
    `aria-label="${ejs.escapeXML(label)}">${outages.join("")}` +
    `<path class="chart-online" vector-effect="non-scaling-stroke" d="${line}"/></svg>`
  );
}

function drawOutage({ start, end }: Span): string {
  const length = end - start;
  const short = length < LEAST_WIDTH ? " is-short" : "";
  return `<rect class="chart-outage${short}" x="${start}" width="${Math.max(LEAST_WIDTH, length)}" height="${HEIGHT}"/>`;
}

function groupAdjacent<Entry>(entries: Entry[]): Entry[][] {
  return Array.from({ length: Math.ceil(entries.length / GROUP) }, (_, group) =>
    entries.slice(group * GROUP, (group + 1) * GROUP),
  );
}

function mean(counts: (number | null)[]): number | null {
  const known = counts.filter((count) => count !== null);
  return known.length === 0 ? null : known.reduce((sum, count) => sum + count, 0) / known.length;
}

/** True if the server was measured and never online. */
function wasOffline(states: (number | null)[]): boolean {
  return states.some(wasDown) && !states.some((up) => up !== null && up > 0);
}

/** Steps relative to the previous point, with level runs in one step: a fifth of the bytes, for hundreds of rows. */
function drawRelative(levels: number[], { start }: Span): string {
  if (levels.length === 1) return `M${start}.5 ${levels[0]}h.5`;
  const steps = levels.slice(1).map((level, place) => level - (levels[place] ?? 0));
  let path = `M${start}.5 ${levels[0]}`;
  for (let place = 0; place < steps.length; ) {
    const flat = steps[place] === 0;
    const other = steps.findIndex((step, later) => later > place && (step === 0) !== flat);
    const end = other === -1 ? steps.length : other;
    const run = steps.slice(place, end);
    path += flat
      ? `h${run.length}`
      : `l${run.map((step) => (step < 0 ? `1${step}` : `1 ${step}`)).join(" ")}`;
    place = end;
  }
  return path;
}
