/**
 * Messages over the page that go by themselves. Their place and their markup are views/partials/toast.ejs. They are
 * read out politely, stay while somebody is on them with pointer or focus, and hold back the one that is asked for:
 * more than three at a time hide the page. F8 goes to the newest: it is far from where somebody was by Tab.
 */

const AT_MOST = 3;
const SHORTEST_MS = 8000;

/**
 * Shows a message; returns what takes it away. `action` is a button beside it (`{ label, run }`), such as one that
 * undoes what was done; pressing it takes the message away. `ms`: how long it stays, never under eight seconds.
 */
export function toast(message, { action, ms = SHORTEST_MS } = {}) {
  const region = document.querySelector("[data-toasts]");
  const shown = document.querySelector("template[data-toast]").content.cloneNode(true).firstElementChild;
  shown.querySelector("[data-toast-text]").textContent = message;
  const close = () => remove(shown, region);
  if (action) offer(shown, action, close);
  shown.querySelector("[data-toast-close]").addEventListener("click", close);
  shown.addEventListener("keydown", (event) => event.key === "Escape" && close());
  closeAfter(shown, Math.max(ms, SHORTEST_MS), close);
  region.append(shown);
  const [oldest] = region.children;
  if (region.childElementCount > AT_MOST && !isHeld(oldest)) remove(oldest, region);
  return close;
}

function offer(shown, { label, run }, close) {
  const button = shown.querySelector("[data-toast-action]");
  button.textContent = label;
  button.hidden = false;
  button.addEventListener("click", () => {
    close();
    run();
  });
}

/** The time begins anew each time that nobody is on it any more. */
function closeAfter(shown, ms, close) {
  let timer = setTimeout(close, ms);
  const hold = () => clearTimeout(timer);
  const release = () => {
    clearTimeout(timer);
    timer = setTimeout(() => (isHeld(shown) ? release() : close()), ms);
  };
  for (const type of ["pointerenter", "focusin"]) shown.addEventListener(type, hold);
  for (const type of ["pointerleave", "focusout"]) shown.addEventListener(type, release);
}

function isHeld(shown) {
  return shown.matches(":hover") || shown.contains(document.activeElement);
}

/** Focus that was in it goes back to where it came from, rather than to the beginning of the page. */
function remove(shown, region) {
  const hadFocus = shown.contains(document.activeElement);
  shown.remove();
  if (!hadFocus) return;
  const next = region.querySelector("button:not([hidden])") ?? lastFocused;
  if (next?.isConnected) next.focus();
}

let lastFocused;
document.addEventListener("focusin", ({ target }) => {
  if (!target.closest("[data-toasts]")) lastFocused = target;
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "F8") return;
  const newest = document.querySelector("[data-toasts]").lastElementChild;
  newest?.querySelector("button:not([hidden])").focus();
});
