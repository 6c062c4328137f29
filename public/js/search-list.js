/** What the search box lists, as elements: a listbox (ARIA 1.2) of options in groups, nearly all of them links. */

import { isForgiven, namesToShow } from "../../src/search/shown-names.ts";
import { text } from "./texts.ts";

/** The kinds of an answer, in the order in which they are listed. */
export const KINDS = ["items", "vehicles", "scripts"];

/** Stands in a text where an element comes. */
const GAP = "\u0000";

const NAMES = {
  items: text("script.search.items"),
  vehicles: text("script.search.vehicles"),
  scripts: text("script.search.scripts"),
};

export function listbox(id, children) {
  const list = element("div", { role: "listbox", id, "aria-label": text("script.search.results") });
  list.append(...children);
  for (const [index, option] of optionsOf(list).entries()) option.id = `${id}-${index}`;
  return list;
}

export function optionsOf(list) {
  return [...list.querySelectorAll("[role=option]")];
}

/** A line above the list that is no result: why there is nothing. */
export function note(message) {
  return element("p", { class: "suggestions-note" }, message);
}

/**
 * The hits of one kind. `isMixed`: others were found as typed, and what was forgiven has to say so. `categoryLanguage`
 * tells the language of a category that is known to be another one than the page's.
 */
export function hitGroup(kind, hits, { id, query, isMixed, categoryLanguage, open }) {
  const options = hits.map((hit) => {
    const { pathname } = new URL(hit.url, location.href);
    const option = link(localPath(pathname), names(hit, query));
    option.append(place(hit, query, isMixed, categoryLanguage(hit.category)));
    for (const type of ["click", "auxclick"]) option.addEventListener(type, () => open(hit, kind));
    return option;
  });
  return group(`${id}-${kind}`, NAMES[kind], options, kind);
}

/** Recent searches and entries (see search-recent.js), and what forgets them. */
export function recentGroup(entries, { id, searchPath, icon, clear }) {
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

/** What was probably meant, where nothing matched as typed: a link to its results, and `correct` to put it into the box. */
export function meantOption(searchPath, { text: meant, lang }, correct) {
  const [before, after] = text("script.search.meant", { meant: GAP }).split(GAP);
  const label = element("span", {});
  label.append(before, element("strong", lang ? { lang } : {}, meant), after);
  const option = link(queryPath(searchPath, meant), [label]);
  option.classList.add("suggestions-meant");
  option.addEventListener("click", (event) => {
    // A new tab or window still is one.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    correct(meant);
  });
  return option;
}

/** The way to everything that was found. */
export function allOption(searchPath, query, open) {
  const label = element("span", {}, text("script.search.all", { query }));
  const option = link(queryPath(searchPath, query), [label]);
  option.classList.add("suggestions-last");
  option.addEventListener("click", open);
  return option;
}

export function element(name, attributes, content = "") {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = content;
  return made;
}

function recentEntry(entry) {
  const option = link(localPath(entry.path), names({ ...entry, match: "exact" }, ""));
  const place = Object.hasOwn(NAMES, entry.kind) ? NAMES[entry.kind] : "";
  option.append(element("span", { class: "hit-place" }, place));
  return option;
}

function group(id, name, options, kind) {
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

function link(href, children) {
  const made = element("a", { role: "option", href, tabindex: "-1", "aria-selected": "false" });
  made.append(...children);
  return made;
}

/** The name in the page's language, and those beside it. */
function names(hit, query) {
  const [first, ...others] = namesToShow(hit, query, document.documentElement.lang).map(({ lang, parts }) => {
    const name = element("span", lang ? { lang } : {});
    for (const { text: letters, marked } of parts)
      name.append(marked ? element("mark", {}, letters) : letters);
    return name;
  });
  const made = element("span", { class: "hit-name" });
  made.append(first);
  for (const other of others) {
    other.className = "other-name";
    made.append(" ", other);
  }
  return [made];
}

function place({ id, category, match }, query, isMixed, lang) {
  const made = element("span", { class: "hit-place" });
  // Somebody who types an id wants to see that it is this one.
  if (match === "exact" && id.toLowerCase() === query.toLowerCase())
    made.append(element("mark", {}, id), " ");
  if (isMixed && isForgiven(match)) {
    made.append(element("span", { class: "badge" }, text("script.search.similar")), " ");
  }
  if (category) made.append(element("span", lang ? { lang } : {}, category));
  return made;
}

/** Results are pages of this site, wherever it is reached, in the language that the page's path fixes. */
function localPath(path) {
  return `${document.documentElement.dataset.prefix ?? ""}${path}`;
}

function queryPath(path, q) {
  return `${path}?${new URLSearchParams({ q })}`;
}
