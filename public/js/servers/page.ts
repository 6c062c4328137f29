/** Keeps a server's page true while it is open: its figures at once, its history every five minutes. */
import { followServers, swapParts } from "./live.ts";

/** A bucket of the shortest range. */
const HISTORY_MS = 5 * 60_000;

if (document.querySelector("[data-server-live]")) {
  let historyAt = performance.now();
  followServers((live) => {
    swapParts(live);
    if (performance.now() - historyAt < HISTORY_MS || isBeingRead()) return;
    historyAt = performance.now();
    void followHistory();
  });
}

/** Whether somebody is reading a chart or has a table open. */
function isBeingRead(): boolean {
  return (
    document.querySelector("[data-follow] details[open], [data-follow]:is(:hover, :focus-within)") !== null
  );
}

/** Replaces the parts that show the history; if that fails, they stay until the next time. */
async function followHistory() {
  const response = await fetch(location.href, { cache: "no-store" }).catch(() => undefined);
  if (!response?.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  window.viewerTimes.turnTimes(page);
  for (const part of document.querySelectorAll<HTMLElement>("[data-follow]")) {
    const other = page.querySelector<HTMLElement>(`[data-follow="${part.dataset.follow}"]`);
    if (other) part.replaceChildren(...other.childNodes);
  }
  document.dispatchEvent(new CustomEvent("history:shown"));
}
