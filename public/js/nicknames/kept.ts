/** Kept nicknames, for as long as the tab is open. */

import { text } from "../web/texts.ts";
import { toast } from "../web/toast.ts";

const KEY = "nicknames-kept";
const AT_MOST = 100;

/**
 * Lists kept names in `section`, and keeps names on press. `results` finds the section of generated names. Returns a
 * function that marks those that are kept.
 */
export function listKept(section: HTMLElement, results: () => Element): () => void {
  const list = section.querySelector("ul") as HTMLElement;
  const template = document.querySelector("template[data-kept-name]") as HTMLTemplateElement;
  let kept = stored();
  render();

  document.addEventListener("click", ({ target }) => {
    const keep = (target as Element).closest("[data-keep]");
    const remove = (target as Element).closest("[data-remove]");
    if (keep) toggle(nameBeside(keep));
    if (remove) take(remove);
  });

  function toggle(name: string) {
    change(kept.includes(name) ? kept.filter((other) => other !== name) : [...kept, name].slice(-AT_MOST));
  }

  /** Moves focus to the next name, or to the heading. */
  function take(button: Element) {
    const name = nameBeside(button);
    const index = kept.indexOf(name);
    change(kept.filter((other) => other !== name));
    const buttons = list.querySelectorAll<HTMLElement>("[data-remove]");
    const next =
      buttons[Math.min(index, buttons.length - 1)] ?? results().querySelector<HTMLElement>("[data-keep]");
    next?.focus();
    toast(text("script.nicknames.removed", { name }));
  }

  function change(names: string[]) {
    kept = names;
    store(kept);
    render();
  }

  function render() {
    list.replaceChildren(
      ...kept.map((name) => {
        const item = document.importNode(template.content, true);
        for (const place of item.querySelectorAll("code, [data-name]")) place.textContent = name;
        return item;
      }),
    );
    section.hidden = kept.length === 0;
    mark();
  }

  function mark() {
    for (const button of results().querySelectorAll("[data-keep]")) {
      button.setAttribute("aria-pressed", String(kept.includes(nameBeside(button))));
    }
  }

  return mark;
}

function nameBeside(button: Element): string {
  return button.closest("li")?.querySelector("code")?.textContent ?? "";
}

/** Without storage, kept names last as long as the page. */
function stored(): string[] {
  try {
    const names: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
    return Array.isArray(names) ? names.filter((name) => typeof name === "string").slice(0, AT_MOST) : [];
  } catch {
    return [];
  }
}

function store(names: string[]) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(names));
  } catch {
    // See above.
  }
}
