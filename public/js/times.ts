import { type TimeTexts, writeTimes } from "../../src/http/time-texts.ts";
import { NAMES_OF_TODAY } from "../../src/http/time-zones.ts";

/**
 * Makes the page's times, which the server writes in UTC, those of the viewer's own time zone. It runs before anything
 * is shown and goes through the page while that is being read, so that nothing moves under the reader's eyes: a module
 * would come too late for that. Modules read `window.viewerTimes`.
 *
 * Who has chosen a zone in the profile gets every time in that one from the server (`data-time-zone`); those stay.
 */
const {
  lang,
  dataset: { timeZone: chosen },
} = document.documentElement;
const zone = knownZone(chosen) ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
const zoneName = NAMES_OF_TODAY[zone] ?? zone;
const texts = writeTimes(lang === "en" ? "en-GB" : lang, zone);

declare global {
  interface Window {
    viewerTimes: TimeTexts & {
      /** As Intl takes it, and as it is called today. */
      readonly zone: string;
      readonly zoneName: string;
      turnTimes(root: ParentNode): void;
    };
  }
}

/** A browser that is older than the zone's name goes by its own zone. */
function knownZone(name: string | undefined): string | undefined {
  try {
    return name && new Intl.DateTimeFormat("en-GB", { timeZone: name }) && name;
  } catch {}
}

window.viewerTimes = { ...texts, zone, zoneName, turnTimes };
if (chosen === undefined) turnAll();

/** Turns the times of what the server rendered, before that is put into the page. */
function turnTimes(root: ParentNode) {
  if (chosen === undefined) for (const time of root.querySelectorAll("time")) turnTime(time);
}

function turnAll() {
  const done = new WeakSet<Element>();
  const turnNew = (isWhole: boolean) => {
    for (const element of document.querySelectorAll<HTMLElement>("time, [data-zone-note]")) {
      if (done.has(element) || !(isWhole || isClosed(element))) continue;
      done.add(element);
      if (element.localName === "time") turnTime(element as HTMLTimeElement);
      else element.textContent = (element.dataset.zoneNote as string).replace("{{zone}}", zoneName);
    }
  };
  const reading = new MutationObserver(() => turnNew(false));
  reading.observe(document, { childList: true, subtree: true });
  document.addEventListener("DOMContentLoaded", () => {
    reading.disconnect();
    turnNew(true);
  });
  // Filtered in place, a list has other rows, and their times are the server's again.
  document.addEventListener("list:shown", () => turnNew(true));
}

/** True once something comes after an element: its own text is complete, and the parser adds nothing to it. */
function isClosed(element: Element): boolean {
  let node: Node | null = element;
  while (node && !node.nextSibling) node = node.parentNode;
  return node !== null;
}

/** Ages and whole days of UTC stay: they do not end in the name of the zone. */
function turnTime(element: HTMLTimeElement) {
  const date = new Date(element.dateTime);
  const text = element.textContent.trim();
  const isDate = "date" in element.dataset;
  if (Number.isNaN(+date) || !(isDate || /\sUTC$/.test(text))) return;
  element.textContent = isDate ? texts.dateText(date) : texts.timeText(date);
  element.title = isDate ? texts.timeText(date) : `${text} · ${zoneName}`;
}
