/**
 * The search box: an editable combobox with a listbox (ARIA 1.2, list autocomplete with manual selection).
 * https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
 */

import type { Hit, SearchAnswer } from "../../../src/search/answers.ts";
import { orderGroups, suggestionsEach, tellApart } from "../../../src/search/result-groups.ts";
import { firstName, meantBy } from "../../../src/search/shown-names.ts";
import type { SearchableKind } from "../../../src/words/kinds/searchable-kinds.ts";
import type { SearchedCategory } from "../../../src/words/vocabulary/category-text.ts";
import { text } from "../web/texts.ts";
import { createAnswers, Unavailable } from "./answers.ts";
import { element } from "./elements.ts";
import {
  allOption,
  hitGroup,
  KINDS,
  listbox,
  meantOption,
  nameKinds,
  note,
  optionsOf,
  recentGroup,
} from "./list.ts";
import { forgetAll, recent, rememberEntry, rememberSearch } from "./recent.ts";
import { keepInView } from "./view.ts";

const LIMIT = 5;
/** How long the previous answer stays, so that the list does not flicker at every letter. */
const PATIENCE_MS = 400;
/** Screen readers hear the number of hits once typing pauses, not at every letter. */
const QUIET_MS = 700;

export function makeSearchBox(form: HTMLFormElement) {
  const input = form.querySelector("input[name=q]") as HTMLInputElement;
  const id = `${input.id}-list`;
  const searchPath = new URL(form.action).pathname;
  const icon = form.querySelector("svg") as Element;
  const sprite = icon.querySelector("use")?.getAttribute("href")?.replace(/#.*/, "") ?? "";
  const categories = new Map<string, SearchedCategory>(
    Object.entries(JSON.parse(form.dataset.categories ?? "{}")),
  );
  const categoryText = (category: string): SearchedCategory =>
    categories.get(category) ?? { text: category, lang: undefined };
  nameKinds(JSON.parse(form.dataset.kinds ?? "{}"));
  const answers = createAnswers(form.dataset.suggest as string, LIMIT);
  const box = element("div", { class: "suggestions", hidden: "" });
  const status = element("p", { role: "status", class: "visually-hidden" });
  box.append(listbox(id, []));
  form.append(box, status);
  const view = keepInView(form, box);
  const attributes = {
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": id,
  };
  for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);

  /** The query under way. */
  let asked: string | undefined;
  let patience: number | undefined;
  let quiet: number | undefined;
  let active: HTMLElement | undefined;

  input.addEventListener("input", () => {
    // The list still answers another query: Enter must not open it.
    activate(undefined);
    suggest();
  });
  input.addEventListener("focus", () => typed() === "" && showRecent());
  input.addEventListener("click", () => box.hidden && suggest());
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (!event.isComposing) keys[event.key]?.(event);
  });
  form.addEventListener("submit", () => {
    rememberSearch(input.value);
    close();
  });
  // Keeps the focus on press, or the list would close before the click.
  box.addEventListener("mousedown", (event) => event.preventDefault());
  // A choice, such as the dark theme, leads to no other page.
  box.addEventListener("click", ({ target }) => {
    const choice = (target as Element).closest<HTMLElement>("a[href^='#']");
    if (!choice) return;
    const name = choice.querySelector(".hit-name > :first-child")?.textContent ?? "";
    close();
    announce(text("script.search.chosen", { name }));
  });
  // A page restored from the back/forward cache shows an old state.
  addEventListener("pagehide", close);
  for (const type of ["online", "offline"]) {
    addEventListener(type, () => document.activeElement === input && !box.hidden && suggest());
  }

  const keys: Record<string, ((event: KeyboardEvent) => void) | undefined> = {
    ArrowDown: (event) => move(event, 1),
    ArrowUp: (event) => move(event, -1),
    // These are for the text.
    ArrowLeft: () => activate(undefined),
    ArrowRight: () => activate(undefined),
    Home: () => activate(undefined),
    End: () => activate(undefined),
    Enter: (event) => {
      if (!active) return;
      event.preventDefault();
      const { ctrlKey, metaKey, shiftKey } = event;
      active.dispatchEvent(
        new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }),
      );
    },
    Escape: (event) => {
      if (box.hidden && input.value === "") return;
      event.preventDefault();
      if (box.hidden) input.value = "";
      close();
    },
  };

  function typed() {
    return input.value.trim();
  }

  /** Answers the typed query, from the cache if possible. */
  async function suggest() {
    const query = typed();
    if (query !== "" && query === asked) return;
    cancel();
    if (query === "") return showRecent();
    const known = answers.known(query);
    if (known) return showFound(known, query);
    if (!navigator.onLine) return showRecentOnly();
    asked = query;
    patience = setTimeout(() => show([note(text("script.search.waiting"))], []), PATIENCE_MS);
    let found: SearchAnswer | undefined;
    try {
      found = await answers.ask(query);
    } catch (error) {
      if (error instanceof Unavailable) showMessage(text("script.search.unavailable"));
      else showRecentOnly();
    }
    if (found) showFound(found, query);
  }

  function showFound(found: SearchAnswer, query: string) {
    cancel();
    const answered = groupsOf(found);
    const hits = answered.flatMap((group) => group.hits);
    if (hits.length === 0) return showMessage(text("script.search.none", { query }));
    const meant = meantBy(hits, query);
    const apart = tellApart(answered.flatMap(({ kind, hits }) => hits.map((hit) => shownAs(hit, kind))));
    const view = { id, query, categoryText, sprite, open: rememberEntry };
    const groups = answered.map(({ kind, hits }) =>
      hitGroup(kind, hits, { ...view, apart: (hit) => apart(shownAs(hit, kind)) }),
    );
    const all = allOption(searchPath, query, () => rememberSearch(query));
    const counted = text("script.search.count", { count: hits.length });
    if (meant === undefined) {
      show([], [...groups, all]);
      return announce(counted);
    }
    show([], [meantOption(searchPath, meant, correct), ...groups, all]);
    announce(`${text("script.search.meant", { meant: meant.text })} ${counted}`);
  }

  /** Puts the correction into the box, and answers it. */
  function correct(meant: string) {
    input.value = meant;
    activate(undefined);
    suggest();
  }

  function showRecent(lines: string[] = []) {
    const entries = recent();
    if (entries.length === 0 && lines.length === 0) return close();
    const clear = () => {
      forgetAll();
      close();
      announce(text("script.search.cleared"));
    };
    const groups = entries.length === 0 ? [] : [recentGroup(entries, { id, searchPath, icon, clear })];
    show(lines.map(note), groups);
    announce(lines.join(" "));
  }

  /** No answer: the device is offline, or the site does not answer. */
  function showRecentOnly() {
    cancel();
    showRecent([navigator.onLine ? text("script.search.no_answer") : text("script.search.offline")]);
  }

  function showMessage(message: string) {
    cancel();
    show([note(message)], []);
    announce(message);
  }

  /** Rebuilds the list each time, so that nothing in it moves. */
  function show(notes: Element[], children: Element[]) {
    activate(undefined);
    const list = listbox(id, children);
    box.replaceChildren(...notes, list);
    input.setAttribute("aria-expanded", String(children.length > 0));
    if (!box.hidden) return;
    box.hidden = false;
    view.start();
  }

  function close() {
    cancel();
    activate(undefined);
    announce("");
    if (box.hidden) return;
    box.hidden = true;
    view.stop();
    input.setAttribute("aria-expanded", "false");
  }

  function cancel() {
    asked = undefined;
    clearTimeout(patience);
    // Another letter came: what the last answer held is not said any more.
    clearTimeout(quiet);
    answers.cancel();
  }

  function move(event: KeyboardEvent, step: number) {
    if (event.altKey && step < 0) return close();
    if (box.hidden) {
      event.preventDefault();
      return suggest();
    }
    const options = optionsOf(box);
    if (options.length === 0 || event.altKey) return;
    event.preventDefault();
    // One position more than options: down from the last result leads back to the input.
    const places = options.length + 1;
    const from = active ? options.indexOf(active) : options.length;
    activate(options[(from + step + places) % places]);
  }

  function activate(next: HTMLElement | undefined) {
    active?.setAttribute("aria-selected", "false");
    active = next;
    active?.setAttribute("aria-selected", "true");
    active?.scrollIntoView({ block: "nearest" });
    if (active) input.setAttribute("aria-activedescendant", active.id);
    else input.removeAttribute("aria-activedescendant");
  }

  function announce(message: string) {
    clearTimeout(quiet);
    if (message === "") status.textContent = "";
    else quiet = setTimeout(() => status.replaceChildren(message), QUIET_MS);
  }
}

/** The listed part of an answer: as much of each kind as fits, in the order of the results page. */
function groupsOf(found: SearchAnswer): { kind: SearchableKind; hits: Hit[] }[] {
  const all = KINDS.map((kind) => ({ kind, results: found[kind] as Hit[] }));
  const shown = all.filter(({ results }) => results.length > 0);
  const each = suggestionsEach(shown.length);
  return orderGroups(shown).map(({ kind, results }) => ({ kind, hits: results.slice(0, each) }));
}

function shownAs(hit: Hit, kind: SearchableKind) {
  return { kind, id: hit.id, category: hit.category, name: firstName(hit, document.documentElement.lang) };
}
