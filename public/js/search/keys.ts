/** The keys that lead to the search box from anywhere on a page. */

const SLASH = "search-without-slash";

/**
 * Focuses `input` on `/` outside text fields, and on Ctrl-K and Cmd-K anywhere. Keys without a modifier disturb
 * speech input, so a check box with `data-search-slash` switches `/` off (WCAG 2.2, 2.1.4).
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

/** On a Cyrillic layout, the key of `/` types a full stop. */
function isSlash(event: KeyboardEvent): boolean {
  const { key, code, target, ctrlKey, metaKey, altKey } = event;
  const isTyping = (target as Element).closest?.("input, textarea, select, [contenteditable]");
  if (isTyping || ctrlKey || metaKey || altKey || event.isComposing) return false;
  return (key === "/" || (code === "Slash" && key === ".")) && hasSlash();
}

/** By the letter on Latin layouts (Dvorak moves K), otherwise by the key's position. */
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
    // Storage is blocked: the setting stays.
  }
}
