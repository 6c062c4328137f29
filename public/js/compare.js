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
  const button = event.target.closest("[data-compare-clear], [data-compare-remove]");
  const form = button?.closest("form[data-compare]");
  if (!form) return;
  const chosen = read(form.dataset.compare);
  const { compareRemove } = button.dataset;
  const kept = chosen.filter(({ id }) => compareRemove !== undefined && id !== compareRemove);
  write(form.dataset.compare, kept);
  showChoice();
  keepFocus(form, compareRemove ?? chosen[0]?.id, event.detail === 0);
});

function choose(form, box) {
  const kind = form.dataset.compare;
  const others = read(kind).filter(({ id }) => id !== box.value);
  const isRefused = box.checked && others.length >= AT_MOST;
  if (!isRefused) write(kind, box.checked ? [...others, { id: box.value, name: box.dataset.name }] : others);
  showChoice(isRefused ? text("script.compare.full") : undefined);
}

/** Ticks the boxes and fills in the bar, which says `message` where there is one, else how many are chosen. */
function showChoice(message) {
  const form = document.querySelector("form[data-compare]");
  if (!form) return;
  const chosen = read(form.dataset.compare);
  const count = chosen.length;
  for (const box of form.querySelectorAll("input[name=id]")) {
    box.checked = chosen.some(({ id }) => id === box.value);
  }
  say(form, message ?? text(count === 0 ? "script.compare.none" : "script.compare.chosen", { count }));
  const template = form.querySelector("template[data-compare-name]");
  form.querySelector(".compare-names").replaceChildren(...chosen.map((one) => nameItem(template, one)));
  const label = form.querySelector(".compare-label");
  label.dataset.label ??= label.textContent;
  label.textContent = count === 0 ? label.dataset.label : text("script.compare.button", { count });
  form.querySelector("[data-compare-go]").classList.toggle("is-primary", count > 1);
  form.querySelector("[data-compare-clear]").hidden = count === 0;
  showBar(form.querySelector(".compare-bar"), count > 0);
}

/** Not again what is said already: a reader would hear it twice. */
function say(form, words) {
  const line = form.querySelector(".compare-chosen");
  if (line.textContent !== words) line.textContent = words;
}

/** What is chosen can be taken back here: its row may be on another page, or gone from the catalogue. */
function nameItem(template, { id, name }) {
  const item = template.content.cloneNode(true).firstElementChild;
  const button = item.querySelector("button");
  button.dataset.compareRemove = id;
  button.setAttribute("aria-label", text("script.compare.remove", { name }));
  button.querySelector("span").textContent = name;
  return item;
}

/** Over the page once something is chosen; what has the focus is then scrolled to above it, however high it is. */
function showBar(bar, isOver) {
  bar.classList.toggle("is-over", isOver);
  document.documentElement.style.setProperty("--compare-bar", isOver ? `${bar.offsetHeight}px` : "0px");
}

/** To the next name, else to the row's own box. Only who goes by keyboard has to see where the focus is now. */
function keepFocus(form, id, isByKeyboard) {
  const box = [...form.querySelectorAll("input[name=id]")].find(({ value }) => value === id);
  const next = form.querySelector("[data-compare-remove]") ?? box ?? document.getElementById("list-results");
  next.focus({ preventScroll: !isByKeyboard });
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

/** Nothing where storage is closed; of what it holds only what can be ours, each id once. */
function read(kind) {
  try {
    const stored = JSON.parse(sessionStorage.getItem(`compare.${kind}`) ?? "[]");
    const chosen = Array.isArray(stored) ? stored.filter(isSound) : [];
    return [...new Map(chosen.map(({ id, name }) => [id, { id, name }])).values()].slice(0, AT_MOST);
  } catch {
    return [];
  }
}

/** An id as the site's addresses take it, and a name to show. */
function isSound(one) {
  const isText = (value) => typeof value === "string" && value.trim() !== "";
  return isText(one?.id) && one.id.length <= 200 && isText(one.name);
}

function write(kind, chosen) {
  try {
    sessionStorage.setItem(`compare.${kind}`, JSON.stringify(chosen));
  } catch {
    // Storage is closed or full: the boxes of this page still work as a form.
  }
}
