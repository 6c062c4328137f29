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

/** What an address answered with; without a page where what is there is another page than this. */
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
/** The address of what the page shows, which is not that of the window while another one is on its way. */
let shown = addressOf(location);
/** Takes away what was said of the last failure. */
let unsay: () => void = () => undefined;

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
  // A link to a part of the page is a step of the history too, and no other view.
  if (address === shown && !request) return;
  clearTimeout(timer);
  goBackTo(address);
});

/** Shows what a form says now. While a word is typed, its letters are one step in the browser's history. */
async function apply({ isTyping = false, form = listForm(), button = null }: Applied = {}) {
  clearTimeout(timer);
  unsay();
  const fields = [...new FormData(form, button)] as [string, string][];
  const query = new URLSearchParams(fields.filter(([, value]) => value.trim() !== ""));
  const address = query.size === 0 ? form.action : `${form.action}?${query}`;
  if (address === shown && address === addressOf(location)) return stopAsking();
  const next = await ask(address);
  if (next === undefined) return;
  if (next.failure) return sayFailure(next.failure, () => apply(button ? { form, button } : {}));
  if (!next.page) return location.assign(address);
  const isSameWord = isTyping && history.state?.isTyping;
  history[isSameWord ? "replaceState" : "pushState"]({ isTyping }, "", next.address);
  show(next.address, next.page, next.askedAt, true);
}

/** The address is another one already, and the page must be what it says: its fields too. */
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
 * The page of an address, and where that led to, or the key of what to say of a failure. Undefined where something else was asked for meanwhile: an old answer can never
 * replace a newer one.
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

/** Both have a list, and what the one has, the other has a place for. */
function isAlike(page: Document): boolean {
  const [here, there] = [document, page].map((root) => {
    const parts = [...root.querySelectorAll<HTMLElement>("[data-swap]")];
    return root.querySelector("[data-list]") && parts.map(({ dataset }) => dataset.swap).join();
  });
  return here != null && here === there;
}

/** The list stays as it is, and the form as it was filled in: what failed once may work the next time. */
function sayFailure(key: Failed["failure"], again: () => void) {
  unsay = toast(text(key), { action: { label: text("script.list.again"), run: again } });
}

/** The fields that are no part to be replaced. */
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

/** Without the place within the page. */
function addressOf({ href }: Location): string {
  return href.split("#")[0] as string;
}
