/**
 * Messages over the page that go by themselves. Their place and their markup are views/partials/toast.ejs. They are
 * read out politely, stay while somebody is on them with pointer or focus, and hold back the one that is asked for:
 * more than three at a time hide the page. F8 goes to the newest: it is far from where somebody was by Tab.
 */

const AT_MOST = 3;
const SHORTEST_MS = 8000;

/** A button beside a message. */
export interface ToastAction {
  label: string;
  run: () => void;
}

/**
 * Shows a message; returns what takes it away. `action` is a button beside it (`{ label, run }`), such as one that
 * undoes what was done; pressing it takes the message away. `ms`: how long it stays, never under eight seconds.
 */
export function toast(
  message: string,
  { action, ms = SHORTEST_MS }: { action?: ToastAction; ms?: number } = {},
): () => void {
  const region = document.querySelector("[data-toasts]") as HTMLElement;
  const template = document.querySelector("template[data-toast]") as HTMLTemplateElement;
  const shown = (template.content.cloneNode(true) as DocumentFragment).firstElementChild as HTMLElement;
  (shown.querySelector("[data-toast-text]") as HTMLElement).textContent = message;
  const close = () => remove(shown, region);
  if (action) offer(shown, action, close);
  (shown.querySelector("[data-toast-close]") as HTMLElement).addEventListener("click", close);
  shown.addEventListener("keydown", (event) => event.key === "Escape" && close());
  closeAfter(shown, Math.max(ms, SHORTEST_MS), close);
  region.append(shown);
  const [oldest] = region.children;
  if (region.childElementCount > AT_MOST && !isHeld(oldest as Element)) remove(oldest as Element, region);
  return close;
}

function offer(shown: Element, { label, run }: ToastAction, close: () => void) {
  const button = shown.querySelector("[data-toast-action]") as HTMLElement;
  button.textContent = label;
  button.hidden = false;
  button.addEventListener("click", () => {
    close();
    run();
  });
}

/** The time begins anew each time that nobody is on it any more. */
function closeAfter(shown: Element, ms: number, close: () => void) {
  let timer = setTimeout(close, ms);
  const hold = () => clearTimeout(timer);
  const release = () => {
    clearTimeout(timer);
    timer = setTimeout(() => (isHeld(shown) ? release() : close()), ms);
  };
  for (const type of ["pointerenter", "focusin"]) shown.addEventListener(type, hold);
  for (const type of ["pointerleave", "focusout"]) shown.addEventListener(type, release);
}

function isHeld(shown: Element): boolean {
  return shown.matches(":hover") || shown.contains(document.activeElement);
}

/** Focus that was in it goes back to where it came from, rather than to the beginning of the page. */
function remove(shown: Element, region: Element) {
  const hadFocus = shown.contains(document.activeElement);
  shown.remove();
  if (!hadFocus) return;
  const next = region.querySelector<HTMLElement>("button:not([hidden])") ?? lastFocused;
  if (next?.isConnected) next.focus();
}

let lastFocused: HTMLElement | undefined;
document.addEventListener("focusin", (event) => {
  const target = event.target as HTMLElement;
  if (!target.closest("[data-toasts]")) lastFocused = target;
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "F8") return;
  const newest = (document.querySelector("[data-toasts]") as HTMLElement).lastElementChild;
  newest?.querySelector<HTMLElement>("button:not([hidden])")?.focus();
});
