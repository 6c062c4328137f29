/** Ages on the servers' pages ("3 min ago") go on. Without this script they stay as the server wrote them. */
import { ageText } from "../../../src/servers/ages.ts";
import { words } from "./language.ts";

const TICK_MS = 10_000;
const { timeText } = window.viewerTimes;

/** How far the viewer's clock is behind the server's, as answers show. */
let behindMs = 0;

/** The time by the server's clock, as far as it is known. */
function now() {
  return Date.now() + behindMs;
}

/** Takes the server's time from an answer: ages are right on a machine whose clock is not. */
export function takeClock(response: Response) {
  const time = Date.parse(response.headers.get("Date") ?? "");
  if (!Number.isNaN(time)) behindMs = time - Date.now();
}

/** Updates every age in a part of the page. */
export function showAges(root: ParentNode = document) {
  for (const time of root.querySelectorAll<HTMLTimeElement>("time[data-age]")) {
    const date = new Date(time.dateTime);
    const [text, title] = [ageText(now() - date.getTime(), words), timeText(date)];
    if (time.textContent !== text) time.textContent = text;
    if (time.title !== title) time.title = title;
  }
}

showAges();
setInterval(() => document.hidden || showAges(), TICK_MS);
document.addEventListener("visibilitychange", () => document.hidden || showAges());
