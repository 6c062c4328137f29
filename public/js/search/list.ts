/** The search box's results as elements: a listbox (ARIA 1.2) of options in groups, nearly all of them links. */

import "../web/own-kinds.ts";
import type { Hit } from "../../../src/search/answers.ts";
import type { Difference } from "../../../src/search/result-groups.ts";
import { type Found, type Name, namesToPrint } from "../../../src/search/shown-names.ts";
import { glyphOf } from "../../../src/words/kinds/glyphs.ts";
import { type SearchableKind, searchableKinds } from "../../../src/words/kinds/searchable-kinds.ts";
import type { SearchedCategory } from "../../../src/words/vocabulary/category-text.ts";
import { text } from "../web/texts.ts";
import { element } from "./elements.ts";
import { type PlaceView, place } from "./place.ts";
import { pathOf, type Recent, type RecentEntry } from "./recent.ts";

/** The kinds of an answer, in listing order. */
export const KINDS: readonly SearchableKind[] = searchableKinds();

/** Marks the place of an element in a text. */
const GAP = "\u0000";

const NAMES: Record<string, string> = {};

/** Adds what the page calls the kinds. */
export function nameKinds(names: Record<string, string>): void {
  Object.assign(NAMES, names);
}

export function listbox(id: string, children: Element[]): HTMLElement {
  const list = element("div", { role: "listbox", id, "aria-label": text("script.search.results") });
  list.append(...children);
  for (const [index, option] of optionsOf(list).entries()) option.id = `${id}-${index}`;
  return list;
}

export function optionsOf(list: Element): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>("[role=option]")];
}

/** A line above the list that is not a result. */
export function note(message: string): HTMLElement {
  return element("p", { class: "suggestions-note" }, message);
}

interface HitView extends PlaceView {
  id: string;
  /** The text beside a hit's name, if others have the same name. */
  apart: (hit: Hit, kind: SearchableKind) => Difference;
  /** The address of the drawings. */
  sprite: string;
  open: (hit: Hit, kind: SearchableKind) => void;
}

interface RecentView {
  id: string;
  searchPath: string;
  icon: Element;
  clear: () => void;
}

/** The hits of one kind. `categoryText` returns what the page calls a category. */
export function hitGroup(
  kind: SearchableKind,
  hits: readonly Hit[],
  { id, apart, sprite, open, ...view }: HitView,
) {
  const { query, categoryText } = view;
  const options = hits.map((hit) => {
    const option = link(addressOf(pathOf(hit.url)), [
      thumbnail(hit, kind, sprite, hit.category === null ? undefined : categoryText(hit.category)),
      ...names(hit, query),
    ]);
    const { byKind, byId } = apart(hit, kind);
    const twin = { kind: byKind ? NAMES[kind] : undefined, id: byId ? hit.id : undefined };
    option.append(place(hit, twin, view));
    for (const type of ["click", "auxclick"]) option.addEventListener(type, () => open(hit, kind));
    return option;
  });
  return group(`${id}-${kind}`, NAMES[kind] ?? kind, options, kind);
}

/** The picture of a hit from this site, else the drawing of its category or kind. */
function thumbnail(
  { image_url }: Hit,
  kind: SearchableKind,
  sprite: string,
  { glyph = glyphOf(kind), tint }: Partial<SearchedCategory> = {},
): Element {
  const size = { class: "thumb is-32", width: "32", height: "32" };
  if (image_url?.startsWith(`${location.origin}/`)) {
    return element("img", { ...size, src: image_url, alt: "", loading: "lazy", decoding: "async" });
  }
  const made = element("span", { class: tint ? `${size.class} ${tint}` : size.class, "data-kind": kind });
  const svg = document.createElementNS(SVG, "svg");
  const use = document.createElementNS(SVG, "use");
  svg.setAttribute("class", "icon");
  use.setAttribute("href", `${sprite}#${glyph}`);
  svg.append(use);
  made.append(svg);
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

/** Recent searches and entries (see search-recent.ts), with a button to forget them. */
export function recentGroup(entries: Recent[], { id, searchPath, icon, clear }: RecentView) {
  const options = entries.map((entry) => {
    if (entry.q === undefined) return recentEntry(entry);
    const option = link(queryPath(searchPath, entry.q), [element("span", {}, entry.q)]);
    option.prepend(icon.cloneNode(true));
    return option;
  });
  const last = element("div", { role: "option", "aria-selected": "false", class: "suggestions-last" });
  last.textContent = text("script.search.clear");
  last.addEventListener("click", clear);
  return group(`${id}-recent`, text("script.search.recent"), [...options, last]);
}

/** The likely correction if nothing matched as typed; `correct` puts it into the box. */
export function meantOption(
  searchPath: string,
  { text: meant, lang }: Name,
  correct: (meant: string) => void,
) {
  const [before, after] = text("script.search.meant", { meant: GAP }).split(GAP) as [string, string];
  const label = element("span", {});
  label.append(before, element("strong", lang ? { lang } : {}, meant), after);
  const option = link(queryPath(searchPath, meant), [label]);
  option.classList.add("suggestions-meant");
  option.addEventListener("click", (event) => {
    // Modified clicks still open a new tab or window.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    correct(meant);
  });
  return option;
}

/** The link to all results. */
export function allOption(searchPath: string, query: string, open: () => void): HTMLElement {
  const label = element("span", {}, text("script.search.all", { query }));
  const option = link(queryPath(searchPath, query), [label]);
  option.classList.add("suggestions-last");
  option.addEventListener("click", open);
  return option;
}

function recentEntry(entry: RecentEntry): HTMLElement {
  const option = link(addressOf(entry.path), names({ ...entry, match: "exact" }, ""));
  const place = (Object.hasOwn(NAMES, entry.kind as string) && NAMES[entry.kind as string]) || "";
  option.append(element("span", { class: "hit-place" }, place));
  return option;
}

function group(id: string, name: string, options: Element[], kind?: SearchableKind): HTMLElement {
  const heading = element(
    "div",
    { class: kind ? "kind" : "suggestions-heading", id, role: "presentation" },
    name,
  );
  const made = element("div", { role: "group", "aria-labelledby": id });
  if (kind) made.dataset.kind = kind;
  made.append(heading, ...options);
  return made;
}

function link(href: string, children: Element[]): HTMLElement {
  const made = element("a", { role: "option", href, tabindex: "-1", "aria-selected": "false" });
  made.append(...children);
  return made;
}

/** The name in the page's language, and those beside it. */
function names(hit: Found, query: string): Element[] {
  const shown = namesToPrint(hit, query, document.documentElement.lang).map(({ lang, parts, isSecond }) => {
    const name = element("span", lang ? { lang } : {});
    if (isSecond) name.dataset.second = "";
    for (const { text: letters, marked } of parts)
      name.append(marked ? element("mark", {}, letters) : letters);
    return name;
  });
  const [first, ...others] = shown as [HTMLElement, ...HTMLElement[]];
  const made = element("span", { class: "hit-name" });
  made.append(first);
  for (const other of others) {
    other.className = "other-name";
    made.append(" ", other);
  }
  return [made];
}

/** A path in the page's language; a choice, such as the dark theme, is made on the page where it is taken. */
function addressOf(path: string): string {
  return path.startsWith("/#") ? path.slice(1) : `${document.documentElement.dataset.prefix ?? ""}${path}`;
}

function queryPath(path: string, q: string): string {
  return `${path}?${new URLSearchParams({ q })}`;
}
