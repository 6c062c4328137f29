/**
 * The shop's "3 h left" goes on, by the server's clock: one asks it once, so that a machine whose own clock is wrong
 * is not told of a discount that is over. Without this script the words stay as the server wrote them, beside the time.
 */
import { endText, startText } from "../../src/prices/sale-words.ts";
import { text as t } from "./texts.ts";

const TICK_MS = 5_000;
/** The header tells whole seconds, and an answer takes its time: what differs less is no difference. */
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

/** Asks for nothing but the headers of this file, which cost the server next to nothing; a cache must not answer. */
async function takeClock() {
  const asked = Date.now();
  const { headers } = await fetch(import.meta.url, { method: "HEAD", cache: "no-store" });
  const answered = Date.now();
  const age = Number(headers.get("Age") ?? 0) * 1000;
  const time = Date.parse(headers.get("Date") ?? "") + age;
  const difference = time - (asked + answered) / 2;
  if (Math.abs(difference) > TOLERANCE_MS) behindMs = difference;
}

/** With the first words that there are: most pages of the shop have some. */
function begin() {
  if (isGoing || words().length === 0) return;
  isGoing = true;
  // Offline, the viewer's own clock has to do.
  takeClock()
    .catch(() => undefined)
    .then(show);
  setInterval(() => document.hidden || show(), TICK_MS);
  document.addEventListener("visibilitychange", () => document.hidden || show());
}

begin();
// A list that was filtered in place has the words as the server wrote them.
document.addEventListener("list:shown", () => {
  begin();
  show();
});
