// Toggles favorites in place. Without this script the same forms work by a page load.
import { text } from "../web/texts.ts";
import { toast } from "../web/toast.ts";

/** A toggle without an answer fails after this time. */
const PATIENCE_MS = 15_000;

/** The key of sessionStorage for the results of toggles. */
const KEY = "favorites";

/** Closes the message about a form's last toggle. */
const closers = new WeakMap<HTMLFormElement, () => void>();

/** Results of this page's toggles by record, and when they came; pending toggles are not in it. */
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

// Back and forward show an old page: shows later toggles in it.
const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
if (navigation?.type === "back_forward") recall();
else learn();
window.addEventListener("pageshow", ({ persisted }) => {
  if (persisted) recall();
});

// A list filtered in place has new forms, which may be older than a toggle.
document.addEventListener("list:shown", (event) => {
  const { askedAt } = (event as CustomEvent<{ askedAt: number }>).detail;
  for (const form of document.querySelectorAll<Form>("form.favorite")) {
    const known = toggled.get(keyOf(form));
    if (known && known.at > askedAt) show(form, known.favorite);
  }
});

/** Shows the new state at once, and the old one again if the toggle fails. */
async function toggle(form: Form, { isUndo = false } = {}) {
  const button = buttonOf(form);
  // Drops presses while a toggle is pending; `disabled` would take the focus away.
  if (button.getAttribute("aria-busy") === "true") return;
  closers.get(form)?.();
  const body = fieldsOf(form);
  const wanted = body.get("wanted") === "yes";
  button.setAttribute("aria-busy", "true");
  show(form, wanted);
  toggled.set(keyOf(form), { favorite: wanted, at: Number.POSITIVE_INFINITY });
  // Stored at once, in case the reader leaves before the answer.
  remember({ [keyOf(form)]: wanted });
  const answer = await send(form, body);
  button.removeAttribute("aria-busy");
  settle(form, answer.favorite ?? !wanted);
  closers.set(form, announce(form, answer, isUndo));
}

/** Applies a toggle's result, also to the form that replaced the pressed one after filtering. */
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

/** Shows toggles that this page is too old to have. */
function recall() {
  const known = remembered();
  for (const form of document.querySelectorAll<Form>("form.favorite")) {
    const favorite = known[keyOf(form)];
    if (typeof favorite === "boolean") show(form, favorite);
  }
}

/** Takes over the states of a fresh page, for older pages of this tab. */
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
    // Storage is blocked, or holds something else.
    return {};
  }
}

function remember(news: Record<string, boolean>) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ ...remembered(), ...news }));
  } catch {
    // Storage is blocked or full: older pages stay as they were.
  }
}

/** Resolves to the state that the server reports, or why it could not be changed. */
async function send(form: Form, body: URLSearchParams): Promise<Answer> {
  // `keepalive` finishes the request when the reader leaves at once.
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

/** The session has ended: goes to the log-in page, which adds the favorite and leads back. */
function logIn(pending: string | undefined) {
  const { pathname, search } = window.location;
  const parameters = new URLSearchParams({ next: pathname + search, ended: "yes" });
  if (pending !== undefined) parameters.set("favorite", pending);
  window.location.assign(`${document.documentElement.dataset.prefix ?? ""}/login?${parameters}`);
}

/** Shows the result with an undo button; returns a function that closes the message. */
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
