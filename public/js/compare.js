/**
 * Holds what was ticked to be compared for as long as the tab is open, over all pages of a list. Without this the boxes
 * of one page are a form that leads to the same comparison.
 */
import { text } from "./texts.js";

const AT_MOST = 4;

rememberCompared();
showChoice();
document.addEventListener("list:shown", () => showChoice());
// A page that comes back from the browser's memory shows what it showed when it was left.
addEventListener("pageshow", () => showChoice());

document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-compare]");
  if (form && event.target.name === "id") choose(form, event.target);
});

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-compare]");
  if (!form) return;
  event.preventDefault();
  const ids = read(form.dataset.compare).map(({ id }) => ["id", id]);
  location.assign(ids.length === 0 ? form.action : `${form.action}?${new URLSearchParams(ids)}`);
});

document.addEventListener("click", (event) => {
  const form = event.target.closest("[data-compare-clear]")?.closest("form");
  if (!form) return;
  write(form.dataset.compare, []);
  showChoice();
  form.querySelector(".button.is-primary").focus();
});

function choose(form, box) {
  const kind = form.dataset.compare;
  const others = read(kind).filter(({ id }) => id !== box.value);
  const isRefused = box.checked && others.length >= AT_MOST;
  if (!isRefused) write(kind, box.checked ? [...others, { id: box.value, name: box.dataset.name }] : others);
  showChoice(isRefused ? text("script.compare.full") : undefined);
}

/** Ticks the boxes and fills in the bar; `message` goes before what is chosen. */
function showChoice(message) {
  const form = document.querySelector("form[data-compare]");
  if (!form) return;
  const chosen = read(form.dataset.compare);
  for (const box of form.querySelectorAll("input[name=id]")) {
    box.checked = chosen.some(({ id }) => id === box.value);
  }
  const names = chosen.map(({ name }) => name).join(", ");
  const count = text("script.compare.chosen", { count: chosen.length });
  say(form, message ?? (chosen.length === 0 ? text("script.compare.none") : `${count}: ${names}`));
  const label = form.querySelector(".compare-label");
  label.dataset.label ??= label.textContent;
  label.textContent =
    chosen.length === 0 ? label.dataset.label : text("script.compare.button", { count: chosen.length });
  form.querySelector("[data-compare-clear]").hidden = chosen.length === 0;
}

/** Not again what is said already: a reader would hear it twice. */
function say(form, words) {
  const line = form.querySelector(".compare-chosen");
  if (line.textContent !== words) line.textContent = words;
}

/** On the page that compares: what is compared there is what is chosen. */
function rememberCompared() {
  const table = document.querySelector("[data-compared]");
  if (!table) return;
  const kind = table.dataset.compared;
  const heads = [...table.querySelectorAll("[data-compared-id]")];
  write(
    kind,
    heads.map(({ dataset }) => ({ id: dataset.comparedId, name: dataset.comparedName })),
  );
  for (const head of heads) {
    const forget = () =>
      write(
        kind,
        read(kind).filter(({ id }) => id !== head.dataset.comparedId),
      );
    head.querySelector(".compare-remove").addEventListener("click", forget);
  }
}

function read(kind) {
  try {
    const chosen = JSON.parse(sessionStorage.getItem(`compare.${kind}`) ?? "[]");
    return Array.isArray(chosen) ? chosen.slice(0, AT_MOST) : [];
  } catch {
    // Storage is closed, or holds what is not ours: nothing is chosen.
    return [];
  }
}

function write(kind, chosen) {
  try {
    sessionStorage.setItem(`compare.${kind}`, JSON.stringify(chosen));
  } catch {
    // Storage is closed or full: the boxes of this page still work as a form.
  }
}
