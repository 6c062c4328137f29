/**
 * Filters, sorts and searches a list in place: the page that the form would lead to is fetched, and what differs is put
 * in. The form and every link work without this, and do the work where this cannot.
 */

const PAUSE_MS = 250;
const FORM = "list-filter";

let request;
let timer;

document.addEventListener("input", (event) => {
  // Of a text that is still being composed, or of a figure half typed, nothing can be said yet.
  if (event.target.id !== "list-q" || event.isComposing) return;
  clearTimeout(timer);
  timer = setTimeout(apply, PAUSE_MS, { isTyping: true });
});

document.addEventListener("change", (event) => {
  if (event.target.form?.id === FORM && event.target.id !== "list-q") apply();
});

document.addEventListener("submit", (event) => {
  if (event.target.id !== FORM) return;
  event.preventDefault();
  apply();
});

addEventListener("popstate", () => show(location.href));

/** Shows what the form says now. While a word is typed, its letters are one step in the browser's history. */
function apply({ isTyping = false } = {}) {
  clearTimeout(timer);
  const form = document.getElementById(FORM);
  const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value.trim() !== ""));
  const address = query.size === 0 ? form.action : `${form.action}?${query}`;
  if (address === location.href) return request?.abort();
  const isSameWord = isTyping && history.state?.isTyping;
  const keep = () => history[isSameWord ? "replaceState" : "pushState"]({ isTyping }, "", address);
  show(address, keep);
}

/** A newer request cancels the one before, so that an old answer can never replace a newer one. */
async function show(address, keep = () => undefined) {
  request?.abort();
  request = new AbortController();
  const { signal } = request;
  try {
    const response = await fetch(address, { signal });
    const next = new DOMParser().parseFromString(await response.text(), "text/html");
    if (signal.aborted) return;
    if (!next.querySelector("[data-list]")) throw new Error("this is no list");
    keep();
    swap(next);
  } catch {
    if (!signal.aborted) location.assign(address);
  }
}

function swap(next) {
  const focused = document.activeElement;
  for (const part of document.querySelectorAll("[data-swap]")) swapPart(part, next);
  document.title = next.title;
  for (const link of document.querySelectorAll("a[hreflang]")) {
    link.href = next.querySelector(`a[hreflang="${link.hreflang}"]`)?.getAttribute("href") ?? link.href;
  }
  restoreFocus(focused);
  const count = document.querySelector(".list-head .kind");
  document.getElementById("list-status").textContent = count?.textContent ?? "";
  document.dispatchEvent(new Event("list:shown"));
}

/** What was unfolded stays so. */
function swapPart(part, next) {
  const other = next.querySelector(`[data-swap="${part.dataset.swap}"]`);
  const unfolded = [...part.querySelectorAll("details[id][open]")].map(({ id }) => id);
  part.replaceChildren(...(other?.childNodes ?? []));
  for (const id of unfolded) document.getElementById(id)?.setAttribute("open", "");
}

/** The field that had the focus has it again, with what was typed into it meanwhile. */
function restoreFocus(focused) {
  if (focused.isConnected) return;
  const again = focused.id && document.getElementById(focused.id);
  if (!again) return document.getElementById("list-results").focus({ preventScroll: true });
  again.focus({ preventScroll: true });
  if (again.matches("input:not([type=checkbox])")) {
    again.value = focused.value;
    again.setSelectionRange(focused.selectionStart, focused.selectionEnd);
  }
}
