/**
 * Comparing with script: rows of a list are ticked, an entry's own page adds that entry, and a bar over the page holds
 * what is chosen (compare-choice.js) and leads to the comparison. Without this the boxes of one page are a form, and an
 * entry's button is a link, that lead there too.
 */
import {
  AT_MOST,
  readChoice,
  rememberedList,
  rememberList,
  whenChosenElsewhere,
  writeChoice,
} from "./compare-choice.ts";
import { text } from "./texts.ts";

prepareEntry();
prepareCompared();
showChoice();
document.addEventListener("list:shown", () => showChoice());
// A page that comes back from the browser's memory shows what it showed when it was left.
addEventListener("pageshow", () => showChoice());
whenChosenElsewhere(() => showChoice());

document.addEventListener("change", ({ target }) => {
  const form = target.closest("form[data-compare]");
  if (form && target.name === "id")
    choose(form, { id: target.value, name: target.dataset.name }, target.checked);
});

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-compare]");
  if (!form) return;
  event.preventDefault();
  const ids = readChoice(form.dataset.compare).map(({ id }) => ["id", id]);
  location.assign(ids.length === 0 ? form.action : `${form.action}?${new URLSearchParams(ids)}`);
});

document.addEventListener("click", (event) => {
  const form = formOfPage();
  const button =
    form && event.target.closest("[data-compare-clear], [data-compare-remove], [data-compare-entry]");
  if (!button) return;
  const { compareEntry: id, name } = button.dataset;
  if (id !== undefined) return choose(form, { id, name }, button.getAttribute("aria-pressed") === "false");
  takeBack(form, button.dataset.compareRemove, event.detail === 0);
});

/** The list's form with its boxes, or that of an entry's page. */
function formOfPage() {
  return document.querySelector("form[data-compare]");
}

/** On an entry's page: the link becomes a switch. */
function prepareEntry() {
  const button = document.querySelector("[data-compare-entry]");
  if (!button) return;
  formOfPage().hidden = false;
  button.hidden = false;
  document.querySelector("[data-compare-alone]").hidden = true;
}

/** Adds one to what is chosen, or takes it out. */
function choose(form, one, isWanted) {
  const kind = form.dataset.compare;
  const others = readChoice(kind).filter(({ id }) => id !== one.id);
  const isRefused = isWanted && others.length >= AT_MOST;
  if (!isRefused) writeChoice(kind, isWanted ? [...others, one] : others);
  showChoice(isRefused ? text("script.compare.full") : undefined);
}

/** Takes out one, or all where none is named. */
function takeBack(form, removed, isByKeyboard) {
  const chosen = readChoice(form.dataset.compare);
  const kept = chosen.filter(({ id }) => removed !== undefined && id !== removed);
  writeChoice(form.dataset.compare, kept);
  showChoice();
  keepFocus(form, removed ?? chosen[0]?.id, isByKeyboard);
}

/** Shows what is chosen in boxes, switch and bar; that says `message` where there is one, else how many are chosen. */
function showChoice(message) {
  const form = formOfPage();
  if (!form) return;
  const kind = form.dataset.compare;
  const chosen = readChoice(kind);
  const isChosen = (wanted) => chosen.some(({ id }) => id === wanted);
  const boxes = form.querySelectorAll("input[name=id]");
  for (const box of boxes) box.checked = isChosen(box.value);
  if (boxes.length > 0) rememberList(kind);
  const entry = document.querySelector("[data-compare-entry]");
  entry?.setAttribute("aria-pressed", String(isChosen(entry.dataset.compareEntry)));
  fillBar(form, chosen, message);
}

function fillBar(form, chosen, message) {
  const count = chosen.length;
  say(form, message ?? outcome(count));
  const template = form.querySelector("template[data-compare-name]");
  form.querySelector(".compare-names").replaceChildren(...chosen.map((one) => nameItem(template, one)));
  const label = form.querySelector(".compare-label");
  label.dataset.label ??= label.textContent;
  label.textContent = count === 0 ? label.dataset.label : text("script.compare.button", { count });
  form.querySelector("[data-compare-go]").classList.toggle("is-primary", count > 1);
  form.querySelector("[data-compare-clear]").hidden = count === 0;
  showBar(form.querySelector(".compare-bar"), count > 0);
}

/** Enter in a box sends the form. Whoever goes by keyboard is told: the bar's own button comes after all rows. */
function outcome(count) {
  if (count === 0) return text("script.compare.none");
  const isByKeyboard = count > 1 && document.activeElement.matches("input[name=id]:focus-visible");
  return text(isByKeyboard ? "script.compare.chosen_by_keys" : "script.compare.chosen", { count });
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

/** To the next name, else to where it was chosen. Only who goes by keyboard has to see where the focus is now. */
function keepFocus(form, id, isByKeyboard) {
  const box = [...form.querySelectorAll("input[name=id]")].find(({ value }) => value === id);
  const name = form.querySelector("[data-compare-remove]");
  const entry = document.querySelector("[data-compare-entry]");
  const next = name ?? box ?? entry ?? document.getElementById("list-results");
  next.focus({ preventScroll: !isByKeyboard });
}

/**
 * On the page that compares: what is compared there becomes what is chosen, so that a list goes on with it. Whoever has
 * come by somebody else's link keeps their own choice until they go on from there.
 */
function prepareCompared() {
  const table = document.querySelector("[data-compared]");
  const back = document.querySelector("[data-compare-list]");
  if (back) back.search = rememberedList(back.dataset.compareList);
  if (!table) return;
  const kind = table.dataset.compared;
  const compared = [...table.querySelectorAll("[data-compared-id]")].map(({ dataset }) => ({
    id: dataset.comparedId,
    name: dataset.comparedName,
  }));
  const isOwn = document.referrer.startsWith(`${location.origin}/`) || readChoice(kind).length === 0;
  if (isOwn) writeChoice(kind, compared);
  document.querySelector("main").addEventListener("click", ({ target }) => {
    if (!target.closest("a")) return;
    const removed = target.closest(".compare-remove")?.closest("[data-compared-id]").dataset.comparedId;
    writeChoice(
      kind,
      compared.filter(({ id }) => id !== removed),
    );
  });
}
