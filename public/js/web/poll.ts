/** Polling while the page is visible: a hidden tab makes no request, and makes one at once when shown again. */

/** How it stands: "silent" where the last question was not answered. */
export type PollState = "current" | "silent" | "offline" | "paused";

interface PollOptions {
  intervalMs: number;
  longestMs: number;
  show?: (state: PollState) => void;
}

/**
 * Calls `ask` every `intervalMs` milliseconds, first after one interval. After a failure (a rejection) it waits twice
 * as long each time, up to `longestMs`, or as long as the error's `retryAfterMs` says. Intervals vary by a fifth, so
 * that the tabs of many visitors spread. It makes no request while offline, and one at once when back online. The
 * viewer may `pause()` and `resume()`. `show` gets the state when it may have changed: "current", "silent" (no answer
 * to the last request), "offline" or "paused".
 */
export function poll(
  ask: () => Promise<void>,
  { intervalMs, longestMs, show = () => undefined }: PollOptions,
) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let paused = false;
  let asking = false;
  /** The earliest next request, even if the tab is hidden and shown again. */
  let notBefore = 0;

  function state(): PollState {
    if (paused) return "paused";
    if (!navigator.onLine) return "offline";
    return failures > 0 ? "silent" : "current";
  }

  function wait(ms: number) {
    clearTimeout(timer);
    show(state());
    if (!paused && !document.hidden && navigator.onLine) timer = setTimeout(run, ms);
  }

  async function run() {
    if (asking) return;
    asking = true;
    let pause = intervalMs;
    try {
      await ask();
      failures = 0;
      notBefore = 0;
    } catch (error) {
      failures += 1;
      pause = Math.max(
        (error as { retryAfterMs?: number }).retryAfterMs ?? 0,
        Math.min(longestMs, intervalMs * 2 ** failures),
      );
    }
    if (failures > 0) notBefore = Date.now() + pause;
    asking = false;
    wait(pause * (0.9 + 0.2 * Math.random()));
  }

  function resume() {
    wait(notBefore - Date.now());
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) clearTimeout(timer);
    else resume();
  });
  window.addEventListener("offline", resume);
  window.addEventListener("online", () => {
    notBefore = 0;
    resume();
  });
  wait(intervalMs);
  return {
    pause() {
      paused = true;
      resume();
    },
    resume() {
      paused = false;
      resume();
    },
  };
}
