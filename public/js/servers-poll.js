/** Asks again and again, while somebody looks: a hidden tab asks nothing, and one that is shown again asks at once. */

const INTERVAL_MS = 30_000;
const LONGEST_MS = 10 * 60_000;

/**
 * Begins to call `ask` every 30 seconds, first after 30 seconds. After a failure (a rejection) it waits twice as long
 * each time, up to 10 minutes, or as long as the error's `retryAfterMs` says. Waiting times vary by a fifth, so that the
 * tabs of many visitors spread. `pause()` and `resume()` are the viewer's.
 */
export function poll(ask) {
  let timer;
  let failures = 0;
  let paused = false;
  let asking = false;
  /** Before this nothing is asked, be the tab hidden and shown as often as it may. */
  let notBefore = 0;

  function wait(ms) {
    clearTimeout(timer);
    if (!paused && !document.hidden) timer = setTimeout(run, ms);
  }

  async function run() {
    if (asking) return;
    asking = true;
    let pause = INTERVAL_MS;
    try {
      await ask();
      failures = 0;
      notBefore = 0;
    } catch (error) {
      failures += 1;
      pause = Math.max(error.retryAfterMs ?? 0, Math.min(LONGEST_MS, INTERVAL_MS * 2 ** failures));
    }
    if (failures > 0) notBefore = Date.now() + pause;
    asking = false;
    wait(pause * (0.9 + 0.2 * Math.random()));
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) clearTimeout(timer);
    else wait(notBefore - Date.now());
  });
  wait(INTERVAL_MS);
  return {
    pause() {
      paused = true;
      clearTimeout(timer);
    },
    resume() {
      paused = false;
      wait(notBefore - Date.now());
    },
  };
}
