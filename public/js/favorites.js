// Toggles favorites in place. Without this script the same forms work by a page load.
import { text } from "./texts.js";
import { toast } from "./toast.js";

/** After so long nothing will answer any more. */
const PATIENCE_MS = 15_000;

/** What takes away the message about a form's last toggle. */
const closers = new WeakMap();

document.addEventListener("submit", (event) => {
  if (!event.target.matches("form.favorite")) return;
  event.preventDefault();
  toggle(event.target);
});

// The second click of a double-click is no wish of its own.
document.addEventListener("click", (event) => {
  if (event.detail > 1 && event.target.closest("form.favorite")) event.preventDefault();
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
  const { favorite, failure } = await send(form.action, body);
  button.removeAttribute("aria-busy");
  show(form, favorite ?? !wanted);
  closers.set(form, tell(form, favorite, failure, isUndo));
}

function show(form, favorite) {
  form.querySelector("button").setAttribute("aria-pressed", String(favorite));
  form.elements.wanted.value = favorite ? "no" : "yes";
}

/** Resolves to what the server says it is now, or why it could not be changed. */
async function send(action, body) {
  const options = { method: "POST", headers: { Accept: "application/json" }, body };
  try {
    const response = await fetch(action, { ...options, signal: AbortSignal.timeout(PATIENCE_MS) });
    if (response.status === 401) logIn();
    if (response.ok) return { favorite: (await response.json()).favorite };
    return { failure: response.status === 404 ? "gone" : "refused" };
  } catch {
    return { failure: navigator.onLine ? "refused" : "offline" };
  }
}

/** The session has ended: to the log-in page, which says so, and back. */
function logIn() {
  const { pathname, search } = window.location;
  const parameters = new URLSearchParams({ next: pathname + search, ended: "yes" });
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
