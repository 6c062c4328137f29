// Toggles favorites in place. Without this script the same forms work by a page load.
import { text } from "./texts.ts";
import { toast } from "./toast.ts";

/** After so long nothing will answer any more. */
const PATIENCE_MS = 15_000;

/** Under this the tab keeps what its toggles came to. */
const KEY = "favorites";

/** What takes away the message about a form's last toggle. */
const closers = new WeakMap<HTMLFormElement, () => void>();

/** What this page toggled, by record: `{ favorite, at }`, when it was known; not yet while it is under way. */
const toggled = new Map<string, { favorite: boolean; at: number }>();

/** A form around a single button; `wanted` is a hidden field. */
type Form = HTMLFormElement & { elements: { wanted: HTMLInputElement } };

interface Answer {
  favorite?: boolean;
  failure?: "gone" | "refused" | "offline";
}

document.addEventListener("submit", (event) => {
  const form = event.target as Form;
  if (!form.matches("form.favorite")) return;
  event.preventDefault();
  toggle(form);
});

// The second click of a double-click is not a request of its own.
document.addEventListener("click", (event) => {
  if (event.detail > 1 && (event.target as Element).closest("form.favorite")) event.preventDefault();
});

// Back and forward show a page as it was left, or as it once came: what was toggled since is shown in it.
const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
if (navigation?.type === "back_forward") recall();
else learn();
window.addEventListener("pageshow", ({ persisted }) => {
  if (persisted) recall();
});

// A list that was filtered in place has other forms, and may have been written before what was toggled meanwhile.
document.addEventListener("list:shown", (event) => {
  const { askedAt } = (event as CustomEvent<{ askedAt: number }>).detail;
  for (const form of document.querySelectorAll<Form>("form.favorite")) {
    const known = toggled.get(keyOf(form));
    if (known && known.at > askedAt) show(form, known.favorite);
  }
});

/** Shows the new state at once, and the old one again where it could not be changed. */
async function toggle(form: Form, { isUndo = false } = {}) {
  const button = buttonOf(form);
  // A press while the last one is under way is dropped. `disabled` would do the same but take the focus away.
  if (button.getAttribute("aria-busy") === "true") return;
  closers.get(form)?.();
  const body = fieldsOf(form);
  const wanted = body.get("wanted") === "yes";
  button.setAttribute("aria-busy", "true");
  show(form, wanted);
  toggled.set(keyOf(form), { favorite: wanted, at: Number.POSITIVE_INFINITY });
  // At once: whoever leaves before the answer is not here to hear it.
  remember({ [keyOf(form)]: wanted });
  const answer = await send(form, body);
  button.removeAttribute("aria-busy");
  settle(form, answer.favorite ?? !wanted);
  closers.set(form, announce(form, answer, isUndo));
}

/** What a toggle came to, also in the form that the page has instead, where the list was filtered meanwhile. */
function settle(form: Form, favorite: boolean) {
  const key = keyOf(form);
  const alike = [...document.querySelectorAll<Form>("form.favorite")].filter((one) => keyOf(one) === key);
  for (const one of [form, ...alike]) show(one, favorite);
  toggled.set(key, { favorite, at: performance.now() });
  remember({ [key]: favorite });
}

function show(form: Form, favorite: boolean) {
  buttonOf(form).setAttribute("aria-pressed", String(favorite));
  form.elements.wanted.value = favorite ? "no" : "yes";
}

/** Shows what the tab knows better than a page from before. */
function recall() {
  const known = remembered();
  for (const form of document.querySelectorAll<Form>("form.favorite")) {
    const favorite = known[keyOf(form)];
    if (typeof favorite === "boolean") show(form, favorite);
  }
}

/** A page that has just come knows better than the tab, which keeps it for older pages. */
function learn() {
  const known = remembered();
  const news = [...document.querySelectorAll<Form>("form.favorite")]
    .filter((form) => Object.hasOwn(known, keyOf(form)))
    .map((form) => [keyOf(form), form.elements.wanted.value === "no"]);
  if (news.length > 0) remember(Object.fromEntries(news));
}

/** The record that a form is about. */
function keyOf(form: Form): string {
  const fields = fieldsOf(form);
  fields.delete("wanted");
  return `${form.getAttribute("action")}?${fields}`;
}

function buttonOf(form: Form) {
  return form.querySelector("button") as HTMLButtonElement;
}

function fieldsOf(form: Form): URLSearchParams {
  return new URLSearchParams(new FormData(form) as unknown as Record<string, string>);
}

function remembered(): Record<string, unknown> {
  try {
    return Object(JSON.parse(sessionStorage.getItem(KEY) ?? "{}"));
  } catch {
    // Storage is closed, or holds what is not ours: nothing is known.
    return {};
  }
}

function remember(news: Record<string, boolean>) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ ...remembered(), ...news }));
  } catch {
    // Storage is closed or full: an older page shows what it showed.
  }
}

/** Resolves to what the server says it is now, or why it could not be changed. */
async function send(form: Form, body: URLSearchParams): Promise<Answer> {
  // Whoever presses and leaves at once has pressed all the same.
  const options = { method: "POST", headers: { Accept: "application/json" }, body, keepalive: true };
  try {
    const response = await fetch(form.action, { ...options, signal: AbortSignal.timeout(PATIENCE_MS) });
    if (response.status === 401) logIn(body.get("wanted") === "yes" ? form.dataset.pending : undefined);
    if (response.ok) return { favorite: (await response.json()).favorite };
    return { failure: response.status === 404 ? "gone" : "refused" };
  } catch {
    return { failure: navigator.onLine ? "refused" : "offline" };
  }
}

/** The session has ended: to the log-in page, which says so, adds what was to be added, and leads back. */
function logIn(pending: string | undefined) {
  const { pathname, search } = window.location;
  const parameters = new URLSearchParams({ next: pathname + search, ended: "yes" });
  if (pending !== undefined) parameters.set("favorite", pending);
  window.location.assign(`${document.documentElement.dataset.prefix ?? ""}/login?${parameters}`);
}

/** Says what became of it, with what takes it back; returns what takes the message away. */
function announce(form: Form, { favorite, failure }: Answer, isUndo: boolean) {
  const name = form.dataset.name as string;
  if (failure === "gone") return toast(text("script.favorites.gone", { name }));
  if (failure !== undefined) {
    const again = { label: text("script.favorites.again"), run: () => toggle(form) };
    const said = failure === "offline" ? text("script.favorites.offline") : text("script.favorites.failed");
    return toast(said, { action: again });
  }
  const said = favorite
    ? text("script.favorites.added", { name })
    : text("script.favorites.removed", { name });
  if (isUndo) return toast(said);
  const undo = { label: text("script.favorites.undo"), run: () => toggle(form, { isUndo: true }) };
  return toast(said, { action: undo });
}
