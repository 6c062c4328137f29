import { type TimeTexts, writeTimes } from "../../../src/web/request/time-texts.ts";
import { nameOfToday } from "../../../src/web/request/time-zones.ts";
import { drawTicks } from "../../../src/words/charts/time-axis.ts";

/**
 * Converts the page's times from UTC to the viewer's time zone. Runs before anything is shown and follows the page
 * while it is parsed, so that nothing moves in front of the reader; a module would run too late. Modules use
 * `window.viewerTimes`.
 *
 * If the profile sets a zone, the server writes all times in it (`data-time-zone`), and they stay.
 */
const {
  lang,
  dataset: { timeZone: chosen },
} = document.documentElement;
const zone = knownZone(chosen) ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
const locale = lang === "en" ? "en-GB" : lang;
const texts = writeTimes(locale, zone);
// Chromium names the cities of zones in English only.
const zoneName = lang === "en" ? nameOfToday(zone) : texts.offsetText(new Date());

declare global {
  interface Window {
    viewerTimes: TimeTexts & {
      /** The name that Intl takes, and the name for the reader. */
      readonly zone: string;
      readonly zoneName: string;
      turnTimes(root: ParentNode): void;
    };
  }
}

/** Undefined for a zone that this browser is too old to know. */
function knownZone(name: string | undefined): string | undefined {
  try {
    return name && new Intl.DateTimeFormat("en-GB", { timeZone: name }) && name;
  } catch {}
}

window.viewerTimes = { ...texts, zone, zoneName, turnTimes };
if (chosen === undefined) turnAll();

/** Converts times in parts from the server before they are put into the page. */
function turnTimes(root: ParentNode) {
  if (chosen === undefined) for (const time of root.querySelectorAll("time")) turnTime(time);
}

function turnAll() {
  const done = new WeakSet<Element>();
  const turnNew = (isWhole: boolean) => {
    for (const element of document.querySelectorAll<HTMLElement>("time, [data-zone-note], [data-axis]")) {
      if (done.has(element) || !(isWhole || isClosed(element))) continue;
      done.add(element);
      // Skips parts in another language than the page's.
      if (!element.closest("[data-own-times]")) turnElement(element);
    }
  };
  const reading = new MutationObserver(() => turnNew(false));
  reading.observe(document, { childList: true, subtree: true });
  document.addEventListener("DOMContentLoaded", () => {
    reading.disconnect();
    turnNew(true);
  });
  // A list filtered in place has the server's times again.
  document.addEventListener("list:shown", () => turnNew(true));
}

function turnElement(element: HTMLElement) {
  const { zoneNote, axis } = element.dataset;
  if (axis !== undefined) element.innerHTML = drawTicks(JSON.parse(axis), locale, zone);
  else if (zoneNote !== undefined) element.textContent = zoneNote.replace("{{zone}}", zoneName);
  else turnTime(element as HTMLTimeElement);
}

/** Whether the parser is past an element, so that its text is complete. */
function isClosed(element: Element): boolean {
  let node: Node | null = element;
  while (node && !node.nextSibling) node = node.parentNode;
  return node !== null;
}

/** Ages and whole days of UTC stay: they do not end in a zone. */
function turnTime(element: HTMLTimeElement) {
  const [date, until] = [new Date(element.dateTime), new Date(element.dataset.until ?? Number.NaN)];
  const isDate = "date" in element.dataset;
  if (Number.isNaN(+date) || !(isDate || /\sUTC$/.test(element.textContent.trim()))) return;
  if (!Number.isNaN(+until)) {
    element.textContent = texts.periodText(date, until, "withDays" in element.dataset);
    return;
  }
  element.textContent = isDate ? texts.dateText(date) : texts.timeText(date);
  element.title = texts.timeText(date);
}
