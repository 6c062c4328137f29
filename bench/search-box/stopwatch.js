/**
 * Runs in the page before its own scripts: measures what the browser itself takes for each letter, the network left
 * out. `window.letters` has, for each answer that was shown, what was typed, and the milliseconds from the letter to the request and from
 * the last byte of the answer to the frame that shows it.
 */
window.letters = [];
let typedAt = 0;
let asked;

addEventListener(
  "input",
  (event) => {
    typedAt = event.timeStamp;
  },
  true,
);

const { fetch } = window;
window.fetch = (url, options) => {
  if (String(url).includes("/api/search/all?")) {
    const { href, searchParams } = new URL(url, location.href);
    asked = { query: searchParams.get("q"), url: href, toRequest: performance.now() - typedAt };
  }
  return fetch(url, options);
};

addEventListener("DOMContentLoaded", () => {
  new MutationObserver(() => {
    if (!asked || !document.querySelector(".suggestions:not([hidden]) [role=option]")) return;
    const { query, url, toRequest } = asked;
    const [timing] = performance.getEntriesByName(url).slice(-1);
    if (!timing) return;
    asked = undefined;
    requestAnimationFrame(() => {
      // What is posted in a frame runs after that frame was painted.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () =>
        window.letters.push({ query, ms: toRequest + performance.now() - timing.responseEnd });
      port2.postMessage(undefined);
    });
  }).observe(document.body, { childList: true, subtree: true });
});
