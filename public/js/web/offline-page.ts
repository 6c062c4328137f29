/**
 * The offline page appears at the requested address, so reloading retries. This reloads it once the site answers.
 * Browsers only report the network, and miss a return while this page loads.
 */
import { poll } from "./poll.ts";

/** A slower answer counts as a failure. */
const PATIENCE_MS = 20_000;

const retries = poll(tryAgain, { intervalMs: 5_000, longestMs: 60_000 });
let leaving = false;

// Another try would restart a slow page, or interrupt the viewer's next navigation.
window.addEventListener("beforeunload", () => {
  leaving = true;
  retries.pause();
});
window.addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  leaving = false;
  retries.resume();
});

async function tryAgain() {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const { status } = await fetch(window.location.href, { method: "HEAD", cache: "no-store", signal });
  if (status >= 500) throw new Error(`answered ${status}`);
  if (!leaving) window.location.reload();
}
