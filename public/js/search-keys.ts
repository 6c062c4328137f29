/** The keys that lead to the search box from anywhere on a page. */

const SLASH = "search-without-slash";

/**
 * `/` goes to a field where nobody is typing, Ctrl-K and Cmd-K always do. A key without a modifier disturbs who speaks
 * to their computer, so it can be switched off (WCAG 2.2, 2.1.4): a check box with `data-search-slash`.
 */
export function listenForKeys(input: HTMLInputElement) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || !(isSlash(event) || isCtrlK(event))) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  tellKeys(input);
  const choice = document.querySelector<HTMLInputElement>("[data-search-slash]");
  if (!choice) return;
  choice.checked = hasSlash();
  choice.addEventListener("change", () => {
    switchSlash(choice.checked);
    tellKeys(input);
  });
}

function tellKeys(input: HTMLInputElement) {
  input.setAttribute("aria-keyshortcuts", `${hasSlash() ? "/ " : ""}Control+K Meta+K`);
}

/** On a Cyrillic layout the same key gives a full stop. */
function isSlash(event: KeyboardEvent): boolean {
  const { key, code, target, ctrlKey, metaKey, altKey } = event;
  const isTyping = (target as Element).closest?.("input, textarea, select, [contenteditable]");
  if (isTyping || ctrlKey || metaKey || altKey || event.isComposing) return false;
  return (key === "/" || (code === "Slash" && key === ".")) && hasSlash();
}

/** By its letter where that is a Latin one (Dvorak has K elsewhere), else by the place of the key. */
function isCtrlK({ key, code, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  if (ctrlKey === metaKey || altKey || shiftKey) return false;
  return /^[a-z]$/i.test(key) ? key.toLowerCase() === "k" : code === "KeyK";
}

function hasSlash() {
  try {
    return localStorage.getItem(SLASH) === null;
  } catch {
    return true;
  }
}

function switchSlash(isOn: boolean) {
  try {
    if (isOn) localStorage.removeItem(SLASH);
    else localStorage.setItem(SLASH, "1");
  } catch {
    // Storage is blocked: it stays as it is.
  }
}
