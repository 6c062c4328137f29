/** Where the reader is once a list has been filtered in place, for list.ts. */

/** Beside the list, the filters stay in sight by themselves. */
const BESIDE = matchMedia("(min-width: 60rem)");

/**
 * Remembers the position of the focused field in the window.
 * @returns a function that scrolls it back: a shorter list moves it, unless the page cannot scroll that far
 */
export function holdPlace(): () => void {
  const top = topOfFocused();
  return () => {
    const now = topOfFocused();
    if (top === undefined || now === undefined || now === top) return;
    const box = document.activeElement?.closest(BESIDE.matches ? ".filter-panel" : ".filters[open]");
    const scrolled = box && box.scrollHeight > box.clientHeight ? box : window;
    scrolled.scrollBy({ top: now - top, behavior: "instant" });
  };
}

/** Goes to the top of the list; filters beside it stay where they are in the window. */
export function showTop() {
  const list = document.querySelector(".catalogue");
  if (BESIDE.matches && list && list.getBoundingClientRect().top < 0)
    list.scrollIntoView({ behavior: "instant" });
}

/** The reader is done with the filters: closes their sheet, and goes to the list. */
export function showResults() {
  closeSheet();
  (document.querySelector("#list-results") as HTMLElement).focus({ preventScroll: true });
  document.querySelector(".list-head")?.scrollIntoView({ behavior: "instant" });
}

/** Escape closes the sheet of filters, and so does the focus when it goes to what the sheet covers. */
export function watchSheet() {
  document.addEventListener("keydown", ({ key, defaultPrevented }) => {
    if (key !== "Escape" || defaultPrevented || !closeSheet()) return;
    document.querySelector<HTMLElement>(".filters > summary")?.focus();
  });
  document.addEventListener("focusin", ({ target }) => {
    if (!(target as Element).closest(".filters")) closeSheet();
  });
}

/** True if it was open. */
function closeSheet(): boolean {
  const sheet = BESIDE.matches ? null : document.querySelector("details.filters[open]");
  sheet?.removeAttribute("open");
  return sheet !== null;
}

/** Undefined where nothing has the focus. */
function topOfFocused(): number | undefined {
  const { activeElement } = document;
  return activeElement?.id ? activeElement.getBoundingClientRect().top : undefined;
}
