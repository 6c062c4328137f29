import ejs from "ejs";
import type { History } from "./history/ranges.ts";
import type { LocaleWords } from "./locale-words.ts";
import { findSpans, type Span } from "./spans.ts";

/** Buckets that share a point: still less than a pixel apart, and half the bytes for 500 rows. */
const GROUP = 2;
const HEIGHT = 32;
/** Width of an outage in points: about two pixels. */
const LEAST_WIDTH = 3;

/** With fewer known counts in a row, the line would be specks and dashes. */
const LEAST_KNOWN = 8;

/** Draws a row's 24 hours; undefined if too little is known of them and there was no outage. */
export function renderSparkline(history: History, words: LocaleWords): string | undefined {
  const stretches = findSpans(history.online, (count) => count !== null);
  const isKnown = stretches.some(({ start, end }) => end - start >= LEAST_KNOWN);
  return isKnown || history.up.some(wasDown) ? drawSparkline(history, words) : undefined;
}

const wasDown = (up: number | null) => up === 0;

/** A row's 24 hours of online counts, without axes; gaps and outages as in the chart. */
export function drawSparkline({ online, up }: History, { t, number }: LocaleWords): string {
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
