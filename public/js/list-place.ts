/** Where the reader is once a list has been filtered in place, for list.ts. */

/** Beside the list, the filters stay in sight by themselves. */
const BESIDE = matchMedia("(min-width: 60rem)");

/**
 * Remembers where the focused field is in the window.
 * @returns a function that scrolls it back to there: a shorter list moves it, or has no such place to scroll to
 */
export function holdPlace(): () => void {
  const top = topOfFocused();
  return () => {
    const now = topOfFocused();
    if (top === undefined || now === undefined || now === top) return;
    const panel = document.activeElement?.closest(".filters > .stack");
    const scrolled = panel && panel.scrollHeight > panel.clientHeight ? panel : window;
    scrolled.scrollBy({ top: now - top, behavior: "instant" });
  };
}

/** Goes to the top of the list; filters beside it stay where they are in the window. */
export function showTop() {
  const list = document.querySelector(".catalogue");
  if (BESIDE.matches && list && list.getBoundingClientRect().top < 0)
    list.scrollIntoView({ behavior: "instant" });
}

/** The reader is done with the filters: folds them where they are above the list, and goes to it. */
export function showResults() {
  document.querySelector("details.filters")?.removeAttribute("open");
  (document.querySelector("#list-results") as HTMLElement).focus({ preventScroll: true });
  document.querySelector(".list-head")?.scrollIntoView({ behavior: "instant" });
}

/** Undefined where nothing has the focus. */
function topOfFocused(): number | undefined {
  const { activeElement } = document;
  return activeElement?.id ? activeElement.getBoundingClientRect().top : undefined;
}
