/**
 * Filters, sorts and searches a list in place: the page that the form would lead to is fetched, and what differs is put
 * in. The form and every link work without this, and do the work where this cannot.
 *
 * A page says by its markup what it is made of: `#list-filter`, the form, whose search field is `#list-q`; `#list-view`, a
 * form of buttons that each change what is shown by one step; `[data-list]`, the list; `[data-swap]`, every part that another view may have otherwise, by its name; `#list-results`, where the focus
 * goes when what had it is gone; `#list-status` (views/partials/list-status.ejs), what is read out. What scripts made of
 * the parts is gone with them: `list:shown` tells of new ones, and `detail.askedAt` when they were asked for.
 */
import { showParts } from "./list-parts.ts";
import { text } from "./texts.ts";
import { toast } from "./toast.ts";

const PAUSE_MS = 250;
const FORM = "list-filter";
const STEPS = "list-view";
const SEARCH = "list-q";

let request;
let timer;
/** The address of what the page shows, which is not that of the window while another one is on its way. */
let shown = addressOf(location);
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
  if (event.target.id !== FORM && event.target.id !== STEPS) return;
  event.preventDefault();
  apply({ form: event.target, button: event.submitter });
});

addEventListener("popstate", () => {
  const address = addressOf(location);
  // A link to a part of the page is a step of the history too, and no other view.
  if (address === shown && !request) return;
  clearTimeout(timer);
  goBackTo(address);
});

/** Shows what a form says now. While a word is typed, its letters are one step in the browser's history. */
async function apply({ isTyping = false, form = document.getElementById(FORM), button = null } = {}) {
  clearTimeout(timer);
  unsay();
  const query = new URLSearchParams(
    [...new FormData(form, button)].filter(([, value]) => value.trim() !== ""),
  );
  const address = query.size === 0 ? form.action : `${form.action}?${query}`;
  if (address === shown && address === addressOf(location)) return stopAsking();
  const next = await ask(address);
  if (next === undefined) return;
  if (next.failure) return sayFailure(next.failure, () => apply(button ? { form, button } : {}));
  if (!next.page) return location.assign(address);
  const isSameWord = isTyping && history.state?.isTyping;
  history[isSameWord ? "replaceState" : "pushState"]({ isTyping }, "", next.address);
  show(next.address, next, { keepsTyped: true });
}

/** The address is another one already, and the page must be what it says: its fields too. */
async function goBackTo(address) {
  unsay();
  const next = await ask(address);
  if (next === undefined) return;
  if (next.failure) return sayFailure(next.failure, () => goBackTo(addressOf(location)));
  if (!next.page) return location.reload();
  takeFields(next.page);
  show(address, next, { keepsTyped: false });
}

/**
 * The page of an address, and where that led to: `{ page, address }`, without a page where what is there is another page than this, or `{ failure }`, the
 * key of what to say. Undefined where something else was asked for meanwhile: an old answer can never replace a newer one.
 */
async function ask(address) {
  stopAsking();
  const mine = new AbortController();
  request = mine;
  const askedAt = performance.now();
  try {
    const response = await fetch(address, { signal: mine.signal });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (mine.signal.aborted) return undefined;
    if (response.status === 429 || response.status >= 500) return { failure: "script.list.unavailable" };
    return {
      page: isAlike(page) ? page : undefined,
      address: response.redirected ? response.url : address,
      askedAt,
    };
  } catch {
    return mine.signal.aborted ? undefined : { failure: "script.list.no_network" };
  } finally {
    if (request === mine) request = undefined;
  }
}

function stopAsking() {
  request?.abort();
  request = undefined;
}

/** Both have a list, and what the one has, the other has a place for. */
function isAlike(page) {
  const partsOf = (root) => [...root.querySelectorAll("[data-swap]")].map(({ dataset }) => dataset.swap);
  const [here, there] = [document, page].map((root) => root.querySelector("[data-list]") && partsOf(root));
  return Boolean(here && there) && here.join() === there.join();
}

/** The list stays as it is, and the form as it was filled in: what failed once may work the next time. */
function sayFailure(key, again) {
  unsay = toast(text(key), { action: { label: text("script.list.again"), run: () => again() } });
}

/** The fields that are no part to be replaced. */
function takeFields(page) {
  for (const field of document.getElementById(FORM).elements) {
    const other = field.id && page.getElementById(field.id);
    if (!other) continue;
    field.value = other.value;
    field.checked = other.checked;
  }
}

function show(address, { page, askedAt }, { keepsTyped }) {
  shown = address;
  showParts(page, keepsTyped);
  document.dispatchEvent(new CustomEvent("list:shown", { detail: { askedAt } }));
}

/** Without the place within the page. */
function addressOf({ href }) {
  return href.split("#")[0];
}
