/**
 * The page for who is not online stands at the address of the one that was wanted: to load it again is to try again. That
 * is done once the site answers, be it that the network comes back or that the site does. The browser tells of the
 * network alone, and of a return while this page is still being loaded it tells nobody.
 */
import { poll } from "./poll.ts";

/** A slower answer counts as none. */
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
