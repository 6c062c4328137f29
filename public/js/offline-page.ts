/**
 * The offline page is shown at the address that was asked for, so reloading tries again. This does so once the site
 * answers. Browsers only report the network, and not a return that happens while this page loads.
 */
import { poll } from "./poll.ts";

/** A slower answer counts as a failure. */
const PATIENCE_MS = 20_000;

const retries = poll(tryAgain, { intervalMs: 5_000, longestMs: 60_000 });
let leaving = false;

// Another try would begin a slow page anew, or take the reader back who goes elsewhere.
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
