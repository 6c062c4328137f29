/**
 * Times on the servers' pages: those of UTC become those of the viewer's zone, and ages ("3 min ago") go on. Without
 * this script they stay as the server wrote them, and the page says that they are UTC.
 */
import { ageText } from "./servers-words.js";

export const ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

const TICK_MS = 10_000;
const dateTime = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
const offset = new Intl.DateTimeFormat("en-GB", { timeZoneName: "shortOffset" });

/** How far the viewer's clock is behind the server's, where an answer has told. */
let behindMs = 0;

/** The time by the server's clock, as far as it is known. */
export function now() {
  return Date.now() + behindMs;
}

/** Takes the server's time from an answer: ages are right on a machine whose clock is not. */
export function takeClock(response) {
  const time = Date.parse(response.headers.get("Date") ?? "");
  if (!Number.isNaN(time)) behindMs = time - Date.now();
}

/** `21 Nov 2026, 15:05` where the viewer is. */
export function localTime(date) {
  return dateTime.format(date);
}

/** `Europe/Berlin (GMT+1)`, as it is at a time. */
export function zoneName(date = new Date()) {
  const part = offset.formatToParts(date).find(({ type }) => type === "timeZoneName");
  return `${ZONE} (${part.value})`;
}

/** Writes every age of a part of the page anew; of `data-age="beside"` beside the time itself. */
export function showAges(root = document) {
  for (const time of root.querySelectorAll("time[data-age]")) {
    const date = new Date(time.dateTime);
    const age = ageText(now() - date);
    const text = time.dataset.age === "beside" ? `${localTime(date)} (${age})` : age;
    if (time.textContent === text) continue;
    time.textContent = text;
    time.title = `${localTime(date)}, ${zoneName(date)}`;
  }
}

for (const time of document.querySelectorAll("time[data-local]")) {
  time.textContent = localTime(new Date(time.dateTime));
}
for (const note of document.querySelectorAll("[data-zone-note]")) {
  note.textContent = `Times are those of your time zone, ${zoneName()}.`;
}
showAges();
setInterval(() => document.hidden || showAges(), TICK_MS);
document.addEventListener("visibilitychange", () => document.hidden || showAges());
