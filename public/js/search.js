/**
 * Turns every search form into a combobox (ARIA 1.2, list autocomplete with manual selection): results while typing,
 * arrow keys, Enter, Escape. The form keeps working by itself when this does not.
 */

const LIMIT = 5;
const PAUSE_MS = 60;
/** So long the answer to the letters before stays, rather than to flicker at every letter. */
const PATIENCE_MS = 400;
const KINDS = [
  ["items", "Items"],
  ["vehicles", "Vehicles"],
  ["scripts", "Scripts"],
];

for (const form of document.querySelectorAll("form[data-suggest]")) makeCombobox(form);
document.addEventListener("keydown", focusSearch);

function makeCombobox(form) {
  const input = form.querySelector("input[name=q]");
  const list = element("div", { role: "listbox", id: `${input.id}-list`, "aria-label": "Results" });
  const status = element("p", { role: "status", class: "visually-hidden" });
  const box = element("div", { class: "suggestions", hidden: "" });
  box.append(list);
  form.append(box, status);
  const attributes = {
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": list.id,
  };
  for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);

  let request = new AbortController();
  let timer;
  let patience;
  let active;

  input.addEventListener("input", () => {
    cancel();
    // What is listed still is the answer to something else: Enter must not open it.
    activate(undefined);
    if (input.value.trim() === "") return close();
    timer = setTimeout(suggest, PAUSE_MS);
    patience = setTimeout(close, PATIENCE_MS, { keepRequest: true });
  });
  input.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    if (act && !event.isComposing) act(event);
  });
  form.addEventListener("submit", () => close());
  // A page that comes back from the browser's memory shows what it showed when it was left.
  addEventListener("pagehide", () => close());
  input.addEventListener("blur", () => close());
  // A press on a result must not take the focus away first: the list would close under it.
  box.addEventListener("mousedown", (event) => event.preventDefault());

  const keys = {
    ArrowDown: (event) => (box.hidden ? reopen(event) : move(event, 1)),
    ArrowUp: (event) => (box.hidden ? reopen(event) : move(event, -1)),
    Escape: (event) => {
      if (box.hidden) return;
      event.preventDefault();
      close();
    },
    Enter: (event) => {
      if (!active) return;
      event.preventDefault();
      active.click();
    },
  };

  function reopen(event) {
    if (input.value.trim() === "") return;
    event.preventDefault();
    cancel();
    suggest();
  }

  /** A newer letter cancels the request before, so an old answer can never replace a newer one. */
  async function suggest() {
    request = new AbortController();
    const { signal } = request;
    const query = input.value.trim();
    try {
      const parameters = new URLSearchParams({ q: query, limit: String(LIMIT) });
      const response = await fetch(`${form.dataset.suggest}?${parameters}`, { signal });
      if (!response.ok) throw new Error(`answered ${response.status}`);
      const found = await response.json();
      if (!signal.aborted) show(found);
    } catch {
      if (!signal.aborted) tell("Suggestions are not available right now; Enter still searches.");
    }
  }

  function show(found) {
    const groups = KINDS.filter(([kind]) => found[kind].length > 0);
    const count = groups.reduce((sum, [kind]) => sum + found[kind].length, 0);
    if (count === 0) return tell(`Nothing is called “${found.query}”.`);
    list.replaceChildren(...groups.map(([kind, name]) => group(kind, name, found[kind])));
    box.replaceChildren(list);
    status.textContent = count === 1 ? "1 result" : `${count} results`;
    open();
  }

  function group(kind, name, hits) {
    const heading = element("div", { class: "kind", id: `${list.id}-${kind}` }, name);
    const options = hits.map((hit, index) => option(hit, input.value, `${list.id}-${kind}-${index}`));
    const parent = element("div", { role: "group", "aria-labelledby": heading.id, "data-kind": kind });
    parent.append(heading, ...options);
    return parent;
  }

  function tell(message) {
    list.replaceChildren();
    box.replaceChildren(element("p", { class: "suggestions-status" }, message));
    status.textContent = message;
    open();
  }

  function move(event, step) {
    const options = [...list.querySelectorAll("[role=option]")];
    if (box.hidden || options.length === 0) return;
    event.preventDefault();
    // One place more than options: from the last result, down leads back to what was typed.
    const places = options.length + 1;
    const from = active ? options.indexOf(active) : options.length;
    activate(options[(from + step + places) % places]);
  }

  function activate(next) {
    active?.setAttribute("aria-selected", "false");
    active = next;
    active?.setAttribute("aria-selected", "true");
    active?.scrollIntoView({ block: "nearest" });
    if (active) input.setAttribute("aria-activedescendant", active.id);
    else input.removeAttribute("aria-activedescendant");
  }

  function open() {
    clearTimeout(patience);
    activate(undefined);
    box.hidden = false;
    input.setAttribute("aria-expanded", String(list.childElementCount > 0));
  }

  function close({ keepRequest = false } = {}) {
    if (!keepRequest) cancel();
    activate(undefined);
    box.hidden = true;
    status.textContent = "";
    input.setAttribute("aria-expanded", "false");
  }

  function cancel() {
    clearTimeout(timer);
    clearTimeout(patience);
    request.abort();
  }
}

/** Results are links of this site, wherever it is reached: only the path of the address is used. */
function option(hit, query, id) {
  const { pathname } = new URL(hit.url, location.href);
  const link = element("a", { role: "option", id, href: pathname, tabindex: "-1", "aria-selected": "false" });
  const name = element("span", {}, hit.name);
  const reason = matchedName(hit, query);
  if (reason) name.append(" ", element("span", { class: "other-name", lang: reason[0] }, reason[1]));
  const place = element("span", { class: "hit-place" }, hit.category ?? "");
  const forgiven = FORGIVEN[hit.match];
  if (forgiven) place.prepend(element("span", { class: "badge" }, forgiven), " ");
  link.append(name, place);
  return link;
}

/** What a reader can tell by looking needs no word; what was forgiven does. */
const FORGIVEN = { fuzzy: "similar", layout: "other keyboard layout", transliteration: "other alphabet" };

/**
 * The name in another language that was found, where the main one does not show why this is a result: one that holds
 * what was typed, or one in the alphabet that was meant.
 */
function matchedName({ name, names = {}, match }, query) {
  const words = folded(query).split(" ");
  const holds = (text) => words.every((word) => folded(text).includes(word));
  if (holds(name)) return undefined;
  const others = Object.entries(names).filter(([, other]) => other !== name);
  const byLetters = others.find(([, other]) => holds(other));
  if (byLetters || match !== "layout") return byLetters;
  const isMeant = (text) => CYRILLIC.test(text) !== CYRILLIC.test(query);
  return isMeant(name) ? undefined : others.find(([, other]) => isMeant(other));
}

const CYRILLIC = /\p{Script=Cyrillic}/u;

/** Roughly as the search compares: without case, accents and punctuation. */
function folded(text) {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

/** `/` goes to the search box from anywhere but a field. */
function focusSearch(event) {
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const input = document.querySelector("form[data-suggest] input[name=q]");
  if (!input) return;
  event.preventDefault();
  input.focus();
  input.select();
}

function element(name, attributes, text = "") {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}
