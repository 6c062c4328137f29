/**
 * Has the service worker keep what readers see who are not online. It comes last on a page: neither the page nor what
 * the reader does waits for it, and where it is not possible nothing is lost.
 */
if ("serviceWorker" in navigator) {
  if (document.readyState === "complete") keep();
  else window.addEventListener("load", keep, { once: true });
}

async function keep() {
  try {
    await navigator.serviceWorker.register("/service-worker.js", { updateViaCache: "none" });
    const { active } = await navigator.serviceWorker.ready;
    active?.postMessage({ language: document.documentElement.lang });
  } catch {
    // Blocked, or not to be had without HTTPS.
  }
}
