/**
 * Messages over the page that close by themselves; their markup is views/partials/toast.ejs. They are announced
 * politely, and stay while pointer or focus is on them. At most three show at a time, so that they do not hide the
 * page. F8 moves focus to the newest, which is far away by Tab.
 */

const AT_MOST = 3;
const SHORTEST_MS = 8000;

/** A button beside a message. */
export interface ToastAction {
  label: string;
  run: () => void;
}

/**
 * Shows a message; returns a function that removes it. The `action` is a button beside it (`{ label, run }`), such as
 * undo; pressing it removes the message. Its duration is `ms`, never under eight seconds.
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

/** Restarts the time whenever pointer and focus leave the message. */
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

/** Returns focus to where it was before, not to the top of the page. */
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
