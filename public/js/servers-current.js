/** The servers' current figures while a page is open: asked for every half minute, with a button that stops it. */
import { poll } from "./poll.js";
import { now, showAges, takeClock } from "./servers-ages.js";
import { words } from "./servers-language.js";
import { askApi } from "./session.js";

/** How often figures are asked for; and at the longest, while there is no answer. */
const TIMES = { intervalMs: 30_000, longestMs: 600_000 };
/** As the server has it: figures that are older are no longer "now". */
const OUTDATED_MS = 3_600_000;
const POLLED_OUTDATED_MS = 900_000;
/** An answer that takes longer than this is none. */
const PATIENCE_MS = 20_000;

/** Hands every new answer of /api/online to `show`. Before a second one, and where nothing is new, it is not called. */
export function followServers(show) {
  let etag;
  const ask = async () => {
    // Without a word of its own a browser would say "no-cache" here, which asks for a whole answer and never for a 304.
    const headers = { "Cache-Control": "max-age=0", ...(etag && { "If-None-Match": etag }) };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await askApi("/api/online", { headers, cache: "no-store", signal });
    takeClock(response);
    if (response.status !== 304) {
      if (!response.ok) throw failureOf(response);
      show(await response.json());
      etag = response.headers.get("ETag") ?? undefined;
    }
    showAges();
  };
  addPause(poll(ask, { ...TIMES, tell: teller() }));
}

/** True where figures of then are no longer "now"; `place` is the element of their server, if the page has one. */
export function isOutdated(server, place) {
  const limit = place?.dataset.polled === undefined ? OUTDATED_MS : POLLED_OUTDATED_MS;
  return now() - Date.parse(server.checked_at ?? "") > limit;
}

/** Gives the page's newest figures the time that they have now; where there were none, the word that says so goes. */
export function showNewest(time) {
  const place = document.querySelector("[data-age=newest]");
  if (!place || !time) return;
  if (place.localName === "time") place.dateTime = time;
  else place.outerHTML = `<time datetime="${new Date(time).toISOString()}" data-age="newest"></time>`;
}

function failureOf(response) {
  const seconds = Number(response.headers.get("Retry-After"));
  return Object.assign(new Error(`answered ${response.status}`), { retryAfterMs: seconds * 1000 || 0 });
}

/** Says before the figures' age why they are not brought up to date, where they are not. */
function teller() {
  const place = document.querySelector("[data-updates]");
  const current = place?.textContent;
  return (state) => {
    const texts = {
      current: () => current,
      offline: () => words.t("script.servers.updates.offline"),
      silent: () => words.t("script.servers.updates.silent"),
      paused: () => words.t("script.servers.updates.paused"),
    };
    const text = texts[state]();
    if (place && place.textContent !== text) place.textContent = text;
  };
}

/** What moves by itself can be stopped (WCAG 2.2.2). */
function addPause(updates) {
  const button = document.querySelector("[data-pause]");
  button?.addEventListener("click", () => {
    const paused = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(paused));
    if (paused) updates.pause();
    else updates.resume();
  });
}
