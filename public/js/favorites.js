// Toggles favorites in place. Without this script the same forms work by a page load.
import { text } from "./texts.ts";
import { toast } from "./toast.ts";

/** After so long nothing will answer any more. */
const PATIENCE_MS = 15_000;

/** Under this the tab keeps what its toggles came to. */
const KEY = "favorites";

/** What takes away the message about a form's last toggle. */
const closers = new WeakMap();

/** What this page toggled, by thing: `{ favorite, at }`, when it was known; not yet while it is under way. */
const toggled = new Map();

document.addEventListener("submit", (event) => {
  if (!event.target.matches("form.favorite")) return;
  event.preventDefault();
  toggle(event.target);
});

// The second click of a double-click is not a request of its own.
document.addEventListener("click", (event) => {
  if (event.detail > 1 && event.target.closest("form.favorite")) event.preventDefault();
});

// Back and forward show a page as it was left, or as it once came: what was toggled since is shown in it.
const [navigation] = performance.getEntriesByType("navigation");
if (navigation?.type === "back_forward") recall();
else learn();
window.addEventListener("pageshow", ({ persisted }) => {
  if (persisted) recall();
});

// A list that was filtered in place has other forms, and may have been written before what was toggled meanwhile.
document.addEventListener("list:shown", ({ detail }) => {
  for (const form of document.querySelectorAll("form.favorite")) {
    const { favorite, at } = toggled.get(keyOf(form)) ?? {};
    if (at > detail.askedAt) show(form, favorite);
  }
});

/** Shows the new state at once, and the old one again where it could not be changed. */
async function toggle(form, { isUndo = false } = {}) {
  const button = form.querySelector("button");
  // A press while the last one is under way is dropped. `disabled` would do the same but take the focus away.
  if (button.getAttribute("aria-busy") === "true") return;
  closers.get(form)?.();
  const body = new URLSearchParams(new FormData(form));
  const wanted = body.get("wanted") === "yes";
  button.setAttribute("aria-busy", "true");
  show(form, wanted);
  toggled.set(keyOf(form), { favorite: wanted, at: Number.POSITIVE_INFINITY });
  // At once: whoever leaves before the answer is not here to hear it.
  remember({ [keyOf(form)]: wanted });
  const { favorite, failure } = await send(form, body);
  button.removeAttribute("aria-busy");
  settle(form, favorite ?? !wanted);
  closers.set(form, tell(form, favorite, failure, isUndo));
}

/** What a toggle came to, also in the form that the page has instead, where the list was filtered meanwhile. */
function settle(form, favorite) {
  const key = keyOf(form);
  const alike = [...document.querySelectorAll("form.favorite")].filter((one) => keyOf(one) === key);
  for (const one of [form, ...alike]) show(one, favorite);
  toggled.set(key, { favorite, at: performance.now() });
  remember({ [key]: favorite });
}

function show(form, favorite) {
  form.querySelector("button").setAttribute("aria-pressed", String(favorite));
  form.elements.wanted.value = favorite ? "no" : "yes";
}

/** Shows what the tab knows better than a page from before. */
function recall() {
  const known = remembered();
  for (const form of document.querySelectorAll("form.favorite")) {
    const favorite = known[keyOf(form)];
    if (typeof favorite === "boolean") show(form, favorite);
  }
}

/** A page that has just come knows better than the tab, which keeps it for older pages. */
function learn() {
  const known = remembered();
  const news = [...document.querySelectorAll("form.favorite")]
    .filter((form) => Object.hasOwn(known, keyOf(form)))
    .map((form) => [keyOf(form), form.elements.wanted.value === "no"]);
  if (news.length > 0) remember(Object.fromEntries(news));
}

/** The thing that a form is about. */
function keyOf(form) {
  const fields = new URLSearchParams(new FormData(form));
  fields.delete("wanted");
  return `${form.getAttribute("action")}?${fields}`;
}

function remembered() {
  try {
    return Object(JSON.parse(sessionStorage.getItem(KEY) ?? "{}"));
  } catch {
    // Storage is closed, or holds what is not ours: nothing is known.
    return {};
  }
}

function remember(news) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ ...remembered(), ...news }));
  } catch {
    // Storage is closed or full: an older page shows what it showed.
  }
}

/** Resolves to what the server says it is now, or why it could not be changed. */
async function send(form, body) {
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
function logIn(pending) {
  const { pathname, search } = window.location;
  const parameters = new URLSearchParams({ next: pathname + search, ended: "yes" });
  if (pending !== undefined) parameters.set("favorite", pending);
  window.location.assign(`${document.documentElement.dataset.prefix ?? ""}/login?${parameters}`);
}

/** Says what became of it, with what takes it back; returns what takes the message away. */
function tell(form, favorite, failure, isUndo) {
  const { name } = form.dataset;
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
