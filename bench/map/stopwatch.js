/**
 * Runs in the page before its own scripts. `window.frames` has the time between frames and `window.tasks` the length of
 * each task of 50 ms and more, since `window.startWatch()`; `window.firstMap` when the first frame with signs was painted.
 */
window.startWatch = () => {
  window.frames = [];
  window.tasks = [];
};
window.startWatch();

let last = performance.now();
requestAnimationFrame(function note(now) {
  window.frames.push(now - last);
  last = now;
  requestAnimationFrame(note);
});

new PerformanceObserver((list) => {
  window.tasks.push(...list.getEntries().map(({ duration }) => duration));
}).observe({ type: "longtask" });

addEventListener("DOMContentLoaded", () => {
  const observer = new MutationObserver(() => {
    if (!document.querySelector(".map.is-live .map-sign, .map.is-live canvas, .map.is-live .map-cluster"))
      return;
    observer.disconnect();
    requestAnimationFrame(() => {
      // What is posted in a frame runs after that frame was painted.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        window.firstMap = performance.now();
      };
      port2.postMessage(undefined);
    });
  });
  observer.observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ["class"],
  });
});
