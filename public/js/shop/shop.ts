/**
 * Counts down the shop's "3 h left" by the server's clock, requested once, so that a wrong clock shows no expired
 * discount. Without scripts the texts stay as the server wrote them, beside the exact time.
 */
import { endText, startText } from "../../../src/records/prices/sale-words.ts";
import { text as t } from "../web/texts.ts";

const TICK_MS = 5_000;
/** Smaller differences are ignored: the Date header has whole seconds, and an answer takes time. */
const TOLERANCE_MS = 3_000;

/** How far the viewer's clock is behind the server's. */
let behindMs = 0;
let isGoing = false;

function words() {
  return [...document.querySelectorAll<HTMLElement>("[data-ends], [data-starts]")];
}

function show() {
  const now = Date.now() + behindMs;
  for (const element of words()) {
    const { ends, starts = "" } = element.dataset;
    const text =
      ends === undefined ? startText(t, Date.parse(starts) - now) : endText(t, Date.parse(ends) - now);
    if (element.textContent !== text) element.textContent = text;
  }
}

/** Requests only this file's headers, which is cheap, and never from a cache. */
async function takeClock() {
  const asked = Date.now();
  const { headers } = await fetch(import.meta.url, { method: "HEAD", cache: "no-store" });
  const answered = Date.now();
  const age = Number(headers.get("Age") ?? 0) * 1000;
  const time = Date.parse(headers.get("Date") ?? "") + age;
  const difference = time - (asked + answered) / 2;
  // The difference may be wrong by half the time that the answer took, as when the computer slept meanwhile.
  if (Math.abs(difference) > TOLERANCE_MS + (answered - asked) / 2) behindMs = difference;
}

/** Starts once the page has a time left to show. */
function begin() {
  if (isGoing || words().length === 0) return;
  isGoing = true;
  // The viewer's own clock has to do while offline.
  takeClock()
    .catch(() => undefined)
    .then(show);
  setInterval(() => document.hidden || show(), TICK_MS);
  document.addEventListener("visibilitychange", () => document.hidden || show());
}

begin();
// A list filtered in place has the server's texts again.
document.addEventListener("list:shown", () => {
  begin();
  show();
});
