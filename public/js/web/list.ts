/**
 * Filters, sorts and searches a list in place: fetches the form's target page and replaces what differs. The form and
 * all links also work without this script.
 *
 * The page's markup: `#list-filter` is the form, `#list-q` its search field; `#list-view` is a form of buttons that
 * each change the view by one step; `[data-apply]` is the button below many filters; `[data-list]` is the list;
 * `[data-swap]` names a part that other views replace; `#list-results` gets the focus when the focused element is
 * gone; `#list-status` is read out. Scripts that changed a part do so again on `list:shown`, whose `detail.askedAt`
 * is when the new parts were requested.
 */
import { findInLists } from "./list-find.ts";
import { showParts } from "./list-parts.ts";
import { holdPlace, showResults, showTop, watchSheet } from "./list-place.ts";
import { text } from "./texts.ts";
import { toast } from "./toast.ts";

const PAUSE_MS = 250;
const FORM = "list-filter";
const STEPS = "list-view";
const SEARCH = "list-q";

/** The answer of an address; without `page` if it is another kind of page. */
interface Answered {
  page: Document | undefined;
  address: string;
  askedAt: number;
  failure?: undefined;
}

interface Failed {
  failure: "script.list.unavailable" | "script.list.no_network";
}

interface Applied {
  isTyping?: boolean;
  form?: HTMLFormElement;
  button?: HTMLElement | null;
}

let request: AbortController | undefined;
let timer: number | undefined;
/** The address of the view shown; the window's may be ahead of it while a view loads. */
let shown = addressOf(location);
/** Closes the message about the last failure. */
let unsay: () => void = () => undefined;

findInLists();
watchSheet();

// Also while a word is being composed: the keyboards of phones compose each one until the space after it. The field
// itself is never replaced, which would end the composition.
document.addEventListener("input", (event) => {
  if ((event.target as Element).id !== SEARCH) return;
  clearTimeout(timer);
  timer = setTimeout(apply, PAUSE_MS, { isTyping: true });
});

document.addEventListener("change", (event) => {
  const field = event.target as HTMLInputElement;
  if (field.form?.id === FORM && field.id !== SEARCH) apply();
});

document.addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement;
  if (form.id !== FORM && form.id !== STEPS) return;
  event.preventDefault();
  apply({ form, button: event.submitter });
});

addEventListener("popstate", () => {
  const address = addressOf(location);
  // A link within the page adds to the history, but shows the same view.
  if (address === shown && !request) return;
  clearTimeout(timer);
  goBackTo(address);
});

/** Shows the view of a form. Letters of one word make one step in the browser's history. */
async function apply({ isTyping = false, form = listForm(), button = null }: Applied = {}) {
  clearTimeout(timer);
  unsay();
  const fields = [...new FormData(form, button)] as [string, string][];
  const query = new URLSearchParams(fields.filter(([, value]) => value.trim() !== ""));
  const address = query.size === 0 ? form.action : `${form.action}?${query}`;
  const isDone = button?.matches("[data-apply]") ?? false;
  if (address === shown && address === addressOf(location)) {
    stopAsking();
    return isDone && showResults();
  }
  const next = await ask(address);
  if (next === undefined) return;
  if (next.failure) return sayFailure(next.failure, () => apply(button ? { form, button } : {}));
  if (!next.page) return location.assign(address);
  const isSameWord = isTyping && history.state?.isTyping;
  history[isSameWord ? "replaceState" : "pushState"]({ isTyping }, "", next.address);
  const putBack = holdPlace();
  show(next.address, next.page, next.askedAt, true);
  if (isDone) return showResults();
  if (!isTyping) showTop();
  putBack();
}

/** The address has changed already: makes the page and its fields match it. */
async function goBackTo(address: string) {
  unsay();
  const next = await ask(address);
  if (next === undefined) return;
  if (next.failure) return sayFailure(next.failure, () => goBackTo(addressOf(location)));
  if (!next.page) return location.reload();
  takeFields(next.page);
  show(address, next.page, next.askedAt, false);
}

/**
 * Fetches the page of an address: the page and its final address, or the key of the error message. Returns undefined
 * if another address was requested meanwhile, so that an old answer never replaces a newer one.
 */
async function ask(address: string): Promise<Answered | Failed | undefined> {
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

/** Both have a list with the same parts. */
function isAlike(page: Document): boolean {
  const [here, there] = [document, page].map((root) => {
    const parts = [...root.querySelectorAll<HTMLElement>("[data-swap]")];
    return root.querySelector("[data-list]") && parts.map(({ dataset }) => dataset.swap).join();
  });
  return here != null && here === there;
}

/** Keeps the list and the form as they are, so that the reader can try again. */
function sayFailure(key: Failed["failure"], again: () => void) {
  unsay = toast(text(key), { action: { label: text("script.list.again"), run: again } });
}

/** The fields outside the parts that are replaced. */
function takeFields(page: Document) {
  for (const field of listForm().elements as Iterable<Element> as Iterable<HTMLInputElement>) {
    const other = field.id && (page.getElementById(field.id) as HTMLInputElement | null);
    if (!other) continue;
    field.value = other.value;
    field.checked = other.checked;
  }
}

function show(address: string, page: Document, askedAt: number, keepsTyped: boolean) {
  shown = address;
  showParts(page, keepsTyped);
  document.dispatchEvent(new CustomEvent("list:shown", { detail: { askedAt } }));
}

function listForm() {
  return document.getElementById(FORM) as HTMLFormElement;
}

/** The address without its fragment. */
function addressOf({ href }: Location): string {
  return href.split("#")[0] as string;
}
