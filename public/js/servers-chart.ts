/**
 * Takes over from the chart that the server drew once it comes into sight: until then its library is not asked for, and
 * where that does not arrive the server's stays.
 */

/** So far below the window it is asked for already. */
const AHEAD = "300px";

const figure = document.querySelector<HTMLElement>("[data-chart]");
if (figure) {
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
  const { makeLive } = await import("./servers-chart-live.ts");
  makeLive(figure);
}
