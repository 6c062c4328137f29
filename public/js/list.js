/**
 * Filters, sorts and searches a list in place: the page that the form would lead to is fetched, and what differs is put
 * in. The form and every link work without this, and do the work where this cannot.
 */
import { text } from "./texts.js";
import { toast } from "./toast.js";

const PAUSE_MS = 250;
const FORM = "list-filter";
const SEARCH = "list-q";

let request;
let timer;
/** Takes away what was said of the last failure. */
let unsay = () => undefined;

// Also while a word is being composed: the keyboards of phones compose each one until the space after it. The field
// itself is never replaced, which would end the composition.
document.addEventListener("input", (event) => {
  if (event.target.id !== SEARCH) return;
  clearTimeout(timer);
  timer = setTimeout(apply, PAUSE_MS, { isTyping: true });
});

document.addEventListener("change", (event) => {
  if (event.target.form?.id === FORM && event.target.id !== SEARCH) apply();
});

document.addEventListener("submit", (event) => {
  if (event.target.id !== FORM) return;
  event.preventDefault();
  apply();
});

addEventListener("popstate", () => {
  clearTimeout(timer);
  unsay();
  goBackTo(location.href);
});

/** Shows what the form says now. While a word is typed, its letters are one step in the browser's history. */
async function apply({ isTyping = false } = {}) {
  clearTimeout(timer);
  unsay();
  const form = document.getElementById(FORM);
  const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value.trim() !== ""));
  const address = query.size === 0 ? form.action : `${form.action}?${query}`;
  if (address === location.href) return request?.abort();
  const next = await ask(address);
  if (next === undefined) return;
  if (next.failure) return sayFailure(next.failure);
  if (!next.page) return location.assign(address);
  const isSameWord = isTyping && history.state?.isTyping;
  history[isSameWord ? "replaceState" : "pushState"]({ isTyping }, "", address);
  swap(next.page, { keepsTyped: true });
}

/** The address is another one already, and the page must be what it says: its fields too. */
async function goBackTo(address) {
  const next = await ask(address);
  if (next === undefined) return;
  if (!next.page) return location.reload();
  document.getElementById(SEARCH).value = next.page.getElementById(SEARCH).value;
  swap(next.page, { keepsTyped: false });
}

/**
 * The page of an address: `{ page }`, without one where what is there is no list, or `{ failure }`, the key of what to
 * say. Undefined where something else was asked for meanwhile: an old answer can never replace a newer one.
 */
async function ask(address) {
  request?.abort();
  request = new AbortController();
  const { signal } = request;
  try {
    const response = await fetch(address, { signal });
    if (response.status === 429 || response.status >= 500) return { failure: "script.list.unavailable" };
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (signal.aborted) return undefined;
    return { page: page.querySelector("[data-list]") ? page : undefined };
  } catch {
    return signal.aborted ? undefined : { failure: "script.list.no_network" };
  }
}

/** The list stays as it is, and the form as it was filled in: what failed once may work the next time. */
function sayFailure(key) {
  unsay = toast(text(key), { action: { label: text("script.list.again"), run: () => apply() } });
}

function swap(next, { keepsTyped }) {
  const focused = document.activeElement;
  for (const part of document.querySelectorAll("[data-swap]")) swapPart(part, next);
  document.title = next.title;
  for (const link of document.querySelectorAll("a[hreflang]")) {
    link.href = next.querySelector(`a[hreflang="${link.hreflang}"]`)?.getAttribute("href") ?? link.href;
  }
  restoreFocus(focused, keepsTyped);
  document.getElementById("list-status").textContent = outcome();
  document.dispatchEvent(new Event("list:shown"));
}

/** What is wrong with the filters, each with the name of its field, else how many records there are. */
function outcome() {
  const problems = [...document.querySelectorAll("[data-list] .field-error")].map((problem) => {
    const facet = problem.closest("fieldset")?.querySelector("legend")?.textContent;
    const label = problem.closest(".field")?.querySelector("label")?.textContent;
    return [facet, label, problem.textContent].filter(Boolean).join(": ");
  });
  return problems.join(" ") || (document.querySelector(".list-head .kind")?.textContent ?? "");
}

/** What was unfolded stays so. */
function swapPart(part, next) {
  const other = next.querySelector(`[data-swap="${part.dataset.swap}"]`);
  const unfolded = [...part.querySelectorAll("details[id][open]")].map(({ id }) => id);
  part.replaceChildren(...(other?.childNodes ?? []));
  for (const id of unfolded) document.getElementById(id)?.setAttribute("open", "");
}

/** The field that had the focus has it again, and where the list follows the form, what was typed into it meanwhile. */
function restoreFocus(focused, keepsTyped) {
  if (focused.isConnected) return;
  const again = focused.id && document.getElementById(focused.id);
  if (!again) return document.getElementById("list-results").focus({ preventScroll: true });
  again.focus({ preventScroll: true });
  if (keepsTyped && again.matches("input:not([type=checkbox])")) {
    again.value = focused.value;
    again.setSelectionRange(focused.selectionStart, focused.selectionEnd);
  }
}
