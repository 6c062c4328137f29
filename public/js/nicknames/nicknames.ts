/**
 * The nickname generator without page loads: every change in the form brings new names, which can be copied and kept.
 * Without this script the form works by itself, and names are selected and copied by hand.
 */

import { text } from "../web/texts.ts";
import { toast } from "../web/toast.ts";
import { listKept } from "./kept.ts";

/** Asks for names after this pause in typing. */
const TYPING_MS = 150;

const form = document.querySelector("[data-nickname-form]") as HTMLFormElement;
const generate = document.querySelector("[data-generate]") as HTMLElement;
const status = document.querySelector("[data-nicknames-status]") as HTMLElement;
const { min_len: shortest, max_len: longest } = form.elements as typeof form.elements & {
  min_len: HTMLInputElement;
  max_len: HTMLInputElement;
};
const markKept = listKept(document.querySelector("[data-kept]") as HTMLElement, results);

let request = new AbortController();
let timer: number | undefined;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  regenerate().then(showResults);
});
form.addEventListener("input", (event) => {
  const field = event.target as HTMLInputElement;
  const { slider } = field.dataset;
  if (slider) setLength(slider === longest.name ? longest : shortest, field.value);
  else if (field === shortest || field === longest) sliderOf(field).value = field.value;
  clearTimeout(timer);
  if (field.matches("select, [type=range]")) regenerate();
  else timer = setTimeout(regenerate, TYPING_MS);
});
form.addEventListener("click", (event) => {
  const preset = (event.target as Element).closest<HTMLElement>("[data-preset]");
  if (!preset || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  setLength(longest, preset.dataset.preset ?? "");
  regenerate();
});
document.addEventListener("click", ({ target }) => {
  const button = (target as Element).closest("[data-copy-name], [data-copy-all]");
  const list = button?.closest("li, section");
  if (list) copy([...list.querySelectorAll("code")].map((name) => name.textContent));
});

function results(): Element {
  return document.querySelector("[data-nicknames]") as Element;
}

/**
 * Sets a length and its slider. Sliders push each other along; a typed number stays as it is, and the server refuses
 * it if it is impossible.
 */
function setLength(field: HTMLInputElement, value: string) {
  write(field, value);
  const [low, high] = [Number(shortest.value), Number(longest.value || sliderOf(longest).value)];
  if (low > high) write(field === shortest ? longest : shortest, value);
}

function write(field: HTMLInputElement, value: string) {
  field.value = value;
  sliderOf(field).value = value;
}

function sliderOf({ name }: HTMLInputElement): HTMLInputElement {
  return form.querySelector(`[data-slider="${name}"]`) as HTMLInputElement;
}

/**
 * Fetches this page with new names: its errors are in the reader's language, and its address keeps the request.
 * Aborts a pending request.
 */
async function regenerate() {
  clearTimeout(timer);
  request.abort();
  request = new AbortController();
  const { signal } = request;
  const url = `${new URL(form.action).pathname}?${asked()}`;
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

/** On a phone, scrolls the pressed button to the top, with the names below it. */
function showResults() {
  const { top } = results().getBoundingClientRect();
  if (top < 0 || top > window.innerHeight / 2) generate.scrollIntoView({ block: "start" });
}

/** The form's parameters, without blank ones and without the seed, which would bring the same names again. */
function asked(): URLSearchParams {
  const fields = [...new FormData(form)] as [string, string][];
  return new URLSearchParams(fields.filter(([name, value]) => value !== "" && name !== "seed"));
}

function show(answer: Document) {
  const made = answer.querySelector("[data-nicknames]") as Element;
  // The page says it on load; after typing, the status announces it.
  made.querySelector("[role=alert]")?.removeAttribute("role");
  results().replaceWith(made);
  for (const control of form.querySelectorAll("[name]"))
    showError(control, answer.getElementById(control.id));
  for (const selector of ["[data-generate] span", "form .chips"]) {
    document.querySelector(selector)?.replaceWith(answer.querySelector(selector) as Element);
  }
  for (const link of document.querySelectorAll<HTMLAnchorElement>("a[hreflang]")) {
    link.href = answer.querySelector(`a[hreflang="${link.hreflang}"]`)?.getAttribute("href") ?? link.href;
  }
  markKept();
  const count = made.querySelectorAll("code").length;
  const isRefused = form.querySelector("[aria-invalid]") !== null;
  status.textContent = isRefused
    ? text("script.nicknames.refused")
    : text("script.nicknames.generated", { count });
}

/** Shows errors beside their fields, and leaves the fields as typed. */
function showError(control: Element, answered: Element | null) {
  errorOf(control)?.remove();
  for (const name of ["aria-invalid", "aria-describedby"]) {
    const value = answered?.getAttribute(name);
    if (value) control.setAttribute(name, value);
    else control.removeAttribute(name);
  }
  const error = errorOf(answered);
  if (error) control.closest("details")?.setAttribute("open", "");
  if (error) control.closest(".field")?.append(error);
}

function errorOf(control: Element | null): Element | null | undefined {
  return control?.closest(".field")?.querySelector(":scope > .field-error");
}

/** The clipboard works only over HTTPS and on localhost. */
async function copy(names: string[]) {
  try {
    await navigator.clipboard.writeText(names.join("\n"));
    const [name = ""] = names;
    toast(
      names.length === 1
        ? text("script.nicknames.copied", { name })
        : text("script.nicknames.copied_all", { count: names.length }),
    );
  } catch {
    toast(text("script.nicknames.not_copied"));
  }
}
