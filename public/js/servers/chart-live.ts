/** A server's history that can be read: exact values under the pointer and by keyboard. */
import uPlot from "uplot";
import type { ChartFigures } from "../../../src/servers/chart-data.ts";
import { columnsOf, optionsOf } from "./chart-options.ts";
import { readerOf } from "./chart-words.ts";
import { words } from "./language.ts";

const { t } = words;
const isTouched = window.matchMedia("(pointer: coarse)").matches;
/** Buckets per Page Up and Page Down: an hour, a day, a day, a month. */
const PAGES: Record<number, number> = { 300: 12, 1800: 48, 7200: 12, 86400: 30 };

/** Draws over the server's SVG, which stays for print and for its size. */
export function makeLive(figure: HTMLElement) {
  const figures: ChartFigures = JSON.parse(figure.dataset.chart ?? "");
  const byDay = figure.dataset.byDay === "true";
  const place = makePlace();
  const output = figure.querySelector(".chart-readout") as HTMLElement;
  const columns = columnsOf(figures);
  const read = readerOf(figures, byDay);
  const hint = t(isTouched ? "script.servers.chart.hint_touch" : "script.servers.chart.hint");
  let at: number | null | undefined;
  const show = (index?: number | null) => {
    at = index;
    const text = at == null ? hint : read(at);
    if (output.textContent !== text) output.textContent = text;
  };
  // Pointer movement is shown only: a screen reader could not keep up.
  const onCursor = (index?: number | null) => {
    output.setAttribute("aria-live", "off");
    show(index);
  };
  (figure.querySelector(".chart-box") as HTMLElement).append(place);
  const plot = new uPlot(optionsOf(figures, byDay, place, onCursor), columns, place);
  figure.classList.add("is-live");
  show();

  place.addEventListener("keydown", (event) => {
    const next = nextPlace(event, at, columns[0].length, PAGES[figures.interval] ?? 10);
    if (next === undefined) return;
    event.preventDefault();
    output.setAttribute("aria-live", "polite");
    plot.setCursor({ left: plot.valToPos(columns[0][next] ?? 0, "x"), top: 0 }, false);
    show(next);
  });
  followTouch(plot);
  const ignoreScheme = followScheme(plot);
  const size = new ResizeObserver(() => {
    const [width, height] = [place.clientWidth, place.clientHeight];
    if (width > 0 && (width !== plot.width || height !== plot.height)) plot.setSize({ width, height });
  });
  size.observe(place);
  // Its drawing would be kept for as long as the page is open.
  const end = () => {
    ignoreScheme();
    size.disconnect();
    plot.destroy();
  };
  document.addEventListener("history:shown", end, { once: true });
}

function makePlace(): HTMLElement {
  const place = document.createElement("div");
  const attributes = {
    class: "chart-plot",
    tabindex: "0",
    role: "application",
    "aria-roledescription": t("script.servers.chart.chart"),
    "aria-labelledby": "chart-title",
    "aria-describedby": "chart-summary chart-readout",
  };
  for (const [name, value] of Object.entries(attributes)) place.setAttribute(name, value);
  return place;
}

/** A finger that moves sideways reads the chart; one that moves up or down scrolls the page (see servers.css). */
function followTouch(plot: uPlot) {
  plot.over.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse") return;
    const { left, top } = plot.over.getBoundingClientRect();
    plot.setCursor({ left: event.clientX - left, top: event.clientY - top });
  });
}

/** Redraws when the system's or the reader's colour scheme changes, until the function that it returns is called. */
function followScheme(plot: uPlot): () => void {
  const redraw = () => plot.redraw(false);
  const ending = new AbortController();
  const { signal } = ending;
  for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)"])
    matchMedia(query).addEventListener("change", redraw, { signal });
  const theme = new MutationObserver(redraw);
  theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => {
    ending.abort();
    theme.disconnect();
  };
}

/** The bucket that a key leads to; undefined for other keys. Starts at the newest. */
function nextPlace(
  { key, ctrlKey, altKey, metaKey }: KeyboardEvent,
  at: number | null | undefined,
  count: number,
  page: number,
): number | undefined {
  if (ctrlKey || altKey || metaKey) return undefined;
  const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, PageUp: -page, PageDown: page };
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  const step = steps[key];
  if (step === undefined) return undefined;
  return at == null ? count - 1 : Math.min(count - 1, Math.max(0, at + step));
}
