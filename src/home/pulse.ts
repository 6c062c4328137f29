import type { DayOfAll } from "../servers/history/queries.ts";
import { createWords } from "../servers/locale-words.ts";
import { renderSparkline } from "../servers/uptime-bar.ts";
import type { Locale } from "../web/request/locale.ts";
import type { BusyServer } from "./queries.ts";

/** Height of the drawing in its own units; its width is one for each count. */
const HEIGHT = 100;
/** With fewer known counts, the chart would not show a day. */
const LEAST_KNOWN = 8;

/** The players of all servers in the last 24 hours, as a chart in SVG and in words; undefined while too little is known. */
export function describePulse({ players }: DayOfAll, { t, format }: Locale) {
  const known = players.filter((count) => count !== null);
  const most = Math.max(0, ...known);
  if (known.length < LEAST_KNOWN || most === 0) return undefined;
  const range = { lowest: format.number(Math.min(...known)), highest: format.number(most) };
  return { chart: drawPulse(players, most), text: t("home.pulse.text", range) };
}

/** The sparkline of one of the named servers. */
export function sparklineOfServer(
  { number }: Pick<BusyServer, "number">,
  { named }: DayOfAll,
  locale: Locale,
): string | undefined {
  const online = named.map((means) => means?.[number] ?? null);
  return renderSparkline({ online, up: online.map(() => null) }, createWords(locale));
}

/** An area for each range without a gap; it begins at 0, so that heights can be compared. */
function drawPulse(players: readonly (number | null)[], most: number): string {
  const y = (count: number) => Math.round(HEIGHT - (count / most) * (HEIGHT - 6));
  const areas: string[] = [];
  const lines: string[] = [];
  for (let start = 0; start < players.length; ) {
    const gap = players.indexOf(null, start);
    const end = gap === -1 ? players.length : gap;
    if (end > start) {
      const points = players.slice(start, end).map((count, place) => `${start + place} ${y(count ?? 0)}`);
      lines.push(`M${points.join("L")}`);
      areas.push(`M${start} ${HEIGHT}L${points.join("L")}L${end - 1} ${HEIGHT}z`);
    }
    start = end + 1;
  }
  return (
    `<svg class="pulse" viewBox="0 0 ${players.length - 1} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">` +
    `<path class="pulse-area" d="${areas.join("")}"/><path class="pulse-line" d="${lines.join("")}"/></svg>`
  );
}
