/**
 * Replaces the server's SVG chart by an interactive one once it scrolls into view. Only then is the library loaded;
 * if that fails, the SVG stays.
 */

/** Loads this far before it scrolls into view. */
const AHEAD = "300px";

takeOverInSight();
// A newer chart has taken its place.
document.addEventListener("history:shown", takeOverInSight);

function takeOverInSight() {
  const figure = document.querySelector<HTMLElement>("[data-chart]");
  if (!figure) return;
  const sight = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      sight.disconnect();
      takeOver(figure).catch(() => figure.classList.remove("is-live"));
    },
    { rootMargin: AHEAD },
  );
  sight.observe(figure);
}

async function takeOver(figure: HTMLElement) {
  const { makeLive } = await import("./chart-live.ts");
  makeLive(figure);
}
