/** Puts the parts of another view of a list into the page, for list.ts. */

/** `keepsTyped` keeps what was typed meanwhile into the focused field. */
export function showParts(page: Document, keepsTyped: boolean) {
  const focused = document.activeElement;
  for (const part of document.querySelectorAll<HTMLElement>("[data-swap]")) swapPart(part, page);
  document.title = page.title;
  takeLinks(page);
  restoreFocus(focused, keepsTyped);
  (document.querySelector("#list-status") as HTMLElement).textContent = outcome(page);
}

/** Keeps open details open. */
function swapPart(part: HTMLElement, page: Document) {
  const other = page.querySelector(`[data-swap="${part.dataset.swap}"]`) as HTMLElement;
  const unfolded = [...part.querySelectorAll("details[id][open]")].map(({ id }) => id);
  part.replaceChildren(...other.childNodes);
  for (const id of unfolded) document.getElementById(id)?.setAttribute("open", "");
}

/** Updates links that lead to this view in another language, or back to it. */
function takeLinks(page: Document) {
  for (const selector of ["a[hreflang]", "a[data-comes-back]"]) {
    const others = page.querySelectorAll(selector);
    for (const [index, link] of document.querySelectorAll<HTMLAnchorElement>(selector).entries()) {
      link.href = others[index]?.getAttribute("href") ?? link.href;
    }
  }
}

/** Focuses the same field again, and restores what was typed into it. */
function restoreFocus(focused: Element | null, keepsTyped: boolean) {
  if (!focused || focused.isConnected) return;
  const again = focused.id && document.getElementById(focused.id);
  if (!again) return (document.querySelector("#list-results") as HTMLElement).focus({ preventScroll: true });
  again.focus({ preventScroll: true });
  if (keepsTyped && isTextField(again) && isTextField(focused)) {
    again.value = focused.value;
    again.setSelectionRange(focused.selectionStart, focused.selectionEnd);
  }
}

function isTextField(element: Element): element is HTMLInputElement {
  return element instanceof HTMLInputElement && element.type !== "checkbox";
}

/** The errors of filters with the names of their fields, otherwise the page's own summary. */
function outcome(page: Document): string {
  const problems = [...document.querySelectorAll("[data-list] .field-error")].map((problem) => {
    const facet = problem.closest("fieldset")?.querySelector("legend")?.textContent;
    const label = problem.closest(".field")?.querySelector("label")?.textContent;
    return [facet, label, problem.textContent].filter(Boolean).join(": ");
  });
  return (problems.join(" ") || (page.querySelector("#list-status") as HTMLElement).dataset.outcome) ?? "";
}
