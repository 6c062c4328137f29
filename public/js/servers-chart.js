/**
 * Takes over from the chart that the server drew: exact values under the pointer and by keyboard. The SVG stays in the
 * page for paper, and is all there is where this script or its library does not arrive.
 */
import { columnsOf, optionsOf } from "./servers-chart-options.js";
import { grouped } from "./servers-words.js";

const HINT = "Point at the chart, or focus it and use the arrow keys, to read its values.";
/** How many buckets Page Up and Page Down go: an hour, a day, a day, a month. */
const PAGES = { 300: 12, 1800: 48, 7200: 12, 86400: 30 };

const figure = document.querySelector("[data-chart]");
if (figure) takeOver().catch(() => figure.classList.remove("is-live"));

async function takeOver() {
  const figures = JSON.parse(figure.dataset.chart);
  const byDay = figure.dataset.byDay === "true";
  const { script, styles } = figure.dataset;
  await Promise.all([load("script", { src: script }), load("link", { rel: "stylesheet", href: styles })]);
  const { uPlot } = window;
  const place = element("div", {
    class: "chart-plot",
    tabindex: "0",
    role: "application",
    "aria-roledescription": "chart",
    "aria-labelledby": "chart-title",
    "aria-describedby": "chart-summary chart-readout",
  });
  const output = element("output", { id: "chart-readout", class: "chart-readout" }, HINT);
  figure.prepend(output, place);
  figure.classList.add("is-live");
  const zoneNote = document.querySelector("[data-chart-zone]");
  if (zoneNote) zoneNote.textContent = `Times of the chart are those of ${window.viewerTimes.zoneName}.`;

  const columns = columnsOf(figures);
  const read = reader(figures, byDay);
  let at = null;
  const show = (index) => {
    at = index ?? null;
    const text = at === null ? HINT : read(at);
    if (output.textContent !== text) output.textContent = text;
  };
  // What the pointer passes over is shown and not told: a screen reader would never come to an end.
  const onCursor = (index) => {
    output.setAttribute("aria-live", "off");
    show(index);
  };
  const options = () => optionsOf(figures, { width: place.clientWidth, byDay, uPlot, onCursor });
  const plot = new uPlot(options(), columns, place);

  place.addEventListener("keydown", (event) => {
    const next = nextPlace(event, at, columns[0].length, PAGES[figures.interval] ?? 10);
    if (next === undefined) return;
    event.preventDefault();
    output.setAttribute("aria-live", "polite");
    plot.setCursor({ left: plot.valToPos(columns[0][next], "x"), top: 0 }, false);
    show(next);
  });
  followTouch(plot);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => plot.redraw(false));
  new ResizeObserver(() => {
    const { width, height } = options();
    if (width !== plot.width) plot.setSize({ width, height });
  }).observe(place);
}

/** A finger that moves sideways reads the chart; one that moves up or down scrolls the page (see servers.css). */
function followTouch(plot) {
  plot.over.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse") return;
    const { left, top } = plot.over.getBoundingClientRect();
    plot.setCursor({ left: event.clientX - left, top: event.clientY - top });
  });
}

/** Where a key leads; undefined for keys that are none of ours. Reading begins at the newest bucket. */
function nextPlace({ key, ctrlKey, altKey, metaKey }, at, count, page) {
  if (ctrlKey || altKey || metaKey) return undefined;
  const steps = { ArrowRight: 1, ArrowLeft: -1, PageUp: -page, PageDown: page };
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  if (steps[key] === undefined) return undefined;
  return at === null ? count - 1 : Math.min(count - 1, Math.max(0, at + steps[key]));
}

/** A function that says a bucket in words, in the viewer's time zone. */
function reader({ from, interval, online, lowest, highest, queue, up }, byDay) {
  const timeZone = byDay ? "UTC" : window.viewerTimes.zone;
  const format = (options) => new Intl.DateTimeFormat("en-GB", { ...options, timeZone });
  const day = format({ weekday: "short", day: "numeric", month: "short", ...(byDay && { year: "numeric" }) });
  const clock = format({ hour: "2-digit", minute: "2-digit" });
  const when = (place) => {
    const [start, end] = [place, place + 1].map((at) => new Date((from + at * interval) * 1000));
    return byDay
      ? `${day.format(start)} (UTC)`
      : `${day.format(start)}, ${clock.format(start)}–${clock.format(end)}`;
  };
  const figuresOf = (place) => {
    if (online[place] === null && up[place] === null) return "not measured";
    if (online[place] === null) return up[place] === 0 ? "offline" : "online, number of players not told";
    const parts = [`${grouped(online[place])} online`];
    if (highest) parts[0] += ` on average (${grouped(lowest[place])} to ${grouped(highest[place])})`;
    if (queue && queue[place] !== null) parts.push(`${grouped(queue[place])} in the queue`);
    if (up[place] !== null && up[place] < 1)
      parts.push(`up ${Math.round(up[place] * 1000) / 10} % of the time`);
    return parts.join(", ");
  };
  return (place) => `${when(place)}: ${figuresOf(place)}`;
}

function load(name, attributes) {
  const made = element(name, attributes);
  return new Promise((resolve, reject) => {
    made.addEventListener("load", resolve);
    made.addEventListener("error", reject);
    document.head.append(made);
  });
}

function element(name, attributes, text = "") {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}
