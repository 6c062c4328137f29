/**
 * Keeps the figures of an open page current: polls every half minute whether any have changed, and if so, replaces
 * parts by what the server renders (views/servers/live-*.ejs). A button pauses it.
 */
import { type PollState, poll } from "../web/poll.ts";
import { askApi } from "../web/session.ts";
import { showAges, takeClock } from "./ages.ts";
import { words } from "./language.ts";

/** The polling interval, and its maximum while nothing answers. */
const TIMES = { intervalMs: 30_000, longestMs: 600_000 };
/** A slower answer counts as a failure. */
const PATIENCE_MS = 20_000;

/** The page's parts as the server renders them now, and when they were requested (`performance.now`). */
export interface LiveParts {
  parts: Document;
  askedAt: number;
}

/** Calls `show` with the page's parts whenever figures have changed, and after the first request. */
export function followServers(show: (live: LiveParts) => void) {
  let etag: string | undefined;
  const ask = async () => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    // By default, browsers send "no-cache" here, which never gets a 304.
    const headers = { "Cache-Control": "max-age=0", ...(etag && { "If-None-Match": etag }) };
    // Only the entity tag of this answer matters; figures come with the parts.
    const response = await askApi("/api/online", { method: "HEAD", headers, cache: "no-store", signal });
    takeClock(response);
    if (response.status !== 304) {
      if (!response.ok) throw failureOf(response);
      const live = await askParts(signal);
      if (live) show(live);
      etag = response.headers.get("ETag") ?? undefined;
    }
    showAges();
  };
  addPause(poll(ask, { ...TIMES, show: stateShower() }));
}

/** Replaces the parts that differ and nothing else, so that focus, scroll and selection stay. */
export function swapParts({ parts }: LiveParts) {
  showAges();
  showAges(parts);
  const others = new Map(partsIn(parts));
  // Inner parts first: if only they changed, the outer part stays.
  for (const [key, part] of partsIn(document).reverse()) {
    const other = others.get(key);
    if (other && other.innerHTML !== part.innerHTML)
      part.replaceChildren(...other.cloneNode(true).childNodes);
  }
}

/** Undefined if the page's server is gone; the page then stays as it is. */
async function askParts(signal: AbortSignal): Promise<LiveParts | undefined> {
  const askedAt = performance.now();
  const response = await fetch(`${location.pathname}?live=1`, { cache: "no-store", signal });
  if (response.status === 404) return undefined;
  if (!response.ok) throw failureOf(response);
  const parts = new DOMParser().parseFromString(await response.text(), "text/html");
  window.viewerTimes.turnTimes(parts);
  return { parts, askedAt };
}

/** Parts by name and server. */
function partsIn(root: ParentNode): [key: string, part: Element][] {
  return [...root.querySelectorAll<HTMLElement>("[data-part]")].map((part) => [
    `${part.dataset.part} ${part.closest<HTMLElement>("[data-server-id]")?.dataset.serverId ?? ""}`,
    part,
  ]);
}

function failureOf(response: Response): Error {
  const seconds = Number(response.headers.get("Retry-After"));
  return Object.assign(new Error(`answered ${response.status}`), { retryAfterMs: seconds * 1000 || 0 });
}

/** Shows why updates have stopped, before the age of the figures. */
function stateShower(): (state: PollState) => void {
  const place = document.querySelector("[data-updates]");
  const current = place?.textContent ?? "";
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

/** Adds the pause button that WCAG 2.2.2 requires. */
function addPause(updates: ReturnType<typeof poll>) {
  const button = document.querySelector("[data-pause]");
  button?.addEventListener("click", () => {
    const paused = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(paused));
    if (paused) updates.pause();
    else updates.resume();
  });
}
