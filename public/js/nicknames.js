/**
 * The nickname generator without page loads: every change of the wishes brings new names, which can be copied and kept.
 * Without this script the form works by itself, and names are selected and copied by hand.
 */

import { listKept } from "./nicknames-kept.ts";
import { coupleLengths } from "./nicknames-lengths.js";
import { text } from "./texts.ts";
import { toast } from "./toast.ts";

/** Who types a name has the next letter by then. */
const TYPING_MS = 150;

const form = document.querySelector("[data-wishes]");
const status = document.querySelector("[data-nicknames-status]");
const markKept = listKept(document.querySelector("[data-kept]"), results);
const moveSliders = coupleLengths(form);

let request = new AbortController();
let timer;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  regenerate().then(showResults);
});
form.addEventListener("input", ({ target }) => {
  clearTimeout(timer);
  if (target.matches("select, [type=range]")) regenerate();
  else timer = setTimeout(regenerate, TYPING_MS);
});
form.addEventListener("click", (event) => {
  const preset = event.target.closest("[data-preset]");
  if (!preset || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  moveSliders(preset.dataset.preset);
  regenerate();
});
document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-copy-name], [data-copy-all]");
  if (!button) return;
  const list = button.closest("li") ?? button.closest("section");
  copy([...list.querySelectorAll("code")].map((name) => name.textContent));
});

function results() {
  return document.querySelector("[data-nicknames]");
}

/**
 * Asks the page itself for names: it says what is refused in the reader's language, and its address keeps the wishes.
 * What was asked before is given up.
 */
async function regenerate() {
  clearTimeout(timer);
  request.abort();
  request = new AbortController();
  const { signal } = request;
  const url = `${new URL(form.action).pathname}?${wishes()}`;
  history.replaceState(null, "", url);
  try {
    const response = await fetch(url, { signal, headers: { Accept: "text/html" } });
    if (!response.ok && response.status !== 400) throw new Error(`answered ${response.status}`);
    const html = await response.text();
    if (!signal.aborted) show(new DOMParser().parseFromString(html, "text/html"));
  } catch {
    if (!signal.aborted) toast(text("script.nicknames.failed"));
  }
}

/** On a phone the names are below the form: who presses its button wants to see them. */
function showResults() {
  const { top } = results().getBoundingClientRect();
  if (top > window.innerHeight / 2) results().scrollIntoView({ block: "start" });
}

/** What the form would send, without what was left empty. */
function wishes() {
  const filled = [...new FormData(form)].filter(([, value]) => value !== "");
  return new URLSearchParams(filled);
}

function show(answer) {
  const made = document.importNode(answer.querySelector("[data-nicknames]"), true);
  // The page says it at once to who has just loaded it; here the status does, after the typing.
  made.querySelector("[role=alert]")?.removeAttribute("role");
  results().replaceWith(made);
  for (const control of form.elements)
    if (control.name) showFault(control, answer.getElementById(control.id));
  for (const selector of ["[data-generate] span", ".chips"]) {
    form
      .querySelector(selector)
      .replaceWith(document.importNode(answer.querySelector(`form ${selector}`), true));
  }
  for (const link of document.querySelectorAll("a[hreflang]")) {
    link.href = answer.querySelector(`a[hreflang="${link.hreflang}"]`)?.getAttribute("href") ?? link.href;
  }
  markKept();
  const count = made.querySelectorAll("code").length;
  const isRefused = form.querySelector("[aria-invalid]") !== null;
  status.textContent = isRefused
    ? text("script.nicknames.refused")
    : text("script.nicknames.generated", { count });
}

/** Beside its field, as in the answer; the field itself stays as it is, with what is being typed. */
function showFault(control, answered) {
  control.closest(".field").querySelector(":scope > .field-error")?.remove();
  for (const name of ["aria-invalid", "aria-describedby"]) {
    const value = answered?.getAttribute(name);
    if (value) control.setAttribute(name, value);
    else control.removeAttribute(name);
  }
  const fault = answered?.closest(".field").querySelector(":scope > .field-error");
  if (fault) control.closest(".field").append(document.importNode(fault, true));
}

/** Browsers give pages the clipboard only over HTTPS and on this machine. */
async function copy(names) {
  try {
    await navigator.clipboard.writeText(names.join("\n"));
    const [name] = names;
    toast(
      names.length === 1
        ? text("script.nicknames.copied", { name })
        : text("script.nicknames.copied_all", { count: names.length }),
    );
  } catch {
    toast(text("script.nicknames.not_copied"));
  }
}
