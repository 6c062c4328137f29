/**
 * Comparison with scripts. Check boxes in lists and a button on entry pages choose entries; a bar over the page shows
 * the choice (compare-choice.ts) and leads to the comparison. Without scripts the boxes are a plain form, and the
 * button is a link.
 */

import { text } from "../web/texts.ts";
import {
  AT_MOST,
  type Chosen,
  readChoice,
  rememberedList,
  rememberList,
  whenChosenElsewhere,
  writeChoice,
} from "./compare-choice.ts";

const FORM = "form[data-compare]";

prepareEntry();
prepareCompared();
showChoice();
document.addEventListener("list:shown", () => showChoice());
// A page restored from the back/forward cache shows an old state.
addEventListener("pageshow", () => showChoice());
whenChosenElsewhere(() => showChoice());

document.addEventListener("change", (event) => {
  const target = event.target as HTMLInputElement;
  const form = target.closest<HTMLFormElement>(FORM);
  if (form && target.name === "id")
    choose(form, { id: target.value, name: target.dataset.name as string }, target.checked);
});

document.addEventListener("submit", (event) => {
  const form = (event.target as Element).closest<HTMLFormElement>(FORM);
  if (!form) return;
  event.preventDefault();
  const ids = readChoice(kindOf(form)).map(({ id }) => ["id", id]);
  location.assign(ids.length === 0 ? form.action : `${form.action}?${new URLSearchParams(ids)}`);
});

document.addEventListener("click", (event) => {
  const form = formOfPage();
  const button =
    form &&
    (event.target as Element).closest<HTMLElement>(
      "[data-compare-clear], [data-compare-remove], [data-compare-entry]",
    );
  if (!button) return;
  const { compareEntry: id, name } = button.dataset;
  if (id !== undefined)
    return choose(form, { id, name: name as string }, button.getAttribute("aria-pressed") === "false");
  takeBack(form, button.dataset.compareRemove, event.detail === 0);
});

/** The list's form with its boxes, or that of an entry's page. */
function formOfPage() {
  return document.querySelector<HTMLFormElement>(FORM);
}

function kindOf(form: HTMLFormElement): string {
  return form.dataset.compare as string;
}

function switchOfEntry() {
  return document.querySelector<HTMLElement>("[data-compare-entry]");
}

/** Turns the link on an entry's page into a switch. */
function prepareEntry() {
  const button = switchOfEntry();
  if (!button) return;
  (formOfPage() as HTMLElement).hidden = false;
  button.hidden = false;
  (document.querySelector("[data-compare-alone]") as HTMLElement).hidden = true;
}

/** Adds an entry to the choice or removes it. */
function choose(form: HTMLFormElement, one: Chosen, isWanted: boolean) {
  const kind = kindOf(form);
  const others = readChoice(kind).filter(({ id }) => id !== one.id);
  const isRefused = isWanted && others.length >= AT_MOST;
  if (!isRefused) writeChoice(kind, isWanted ? [...others, one] : others);
  showChoice(isRefused ? text("script.compare.full") : undefined);
}

/** Removes one entry, or all without an id. */
function takeBack(form: HTMLFormElement, removed: string | undefined, isByKeyboard: boolean) {
  const chosen = readChoice(kindOf(form));
  const kept = chosen.filter(({ id }) => removed !== undefined && id !== removed);
  writeChoice(kindOf(form), kept);
  showChoice();
  keepFocus(form, removed ?? chosen[0]?.id, isByKeyboard);
}

/** Updates boxes, switch and bar. The bar shows `message`, by default the number of chosen entries. */
function showChoice(message?: string) {
  const form = formOfPage();
  if (!form) return;
  const kind = kindOf(form);
  const chosen = readChoice(kind);
  const isChosen = (wanted?: string) => chosen.some(({ id }) => id === wanted);
  const boxes = form.querySelectorAll<HTMLInputElement>("input[name=id]");
  for (const box of boxes) box.checked = isChosen(box.value);
  if (boxes.length > 0) rememberList(kind);
  const entry = switchOfEntry();
  entry?.setAttribute("aria-pressed", String(isChosen(entry.dataset.compareEntry)));
  fillBar(form, chosen, message);
}

function fillBar(form: HTMLFormElement, chosen: Chosen[], message: string | undefined) {
  const part = (selector: string) => form.querySelector(selector) as HTMLElement;
  const count = chosen.length;
  say(form, message ?? outcome(count));
  const template = part("template[data-compare-name]") as HTMLTemplateElement;
  part(".compare-names").replaceChildren(...chosen.map((one) => nameItem(template, one)));
  const label = part(".compare-label");
  label.dataset.label ??= label.textContent;
  label.textContent =
    count === 0 ? (label.dataset.label as string) : text("script.compare.button", { count });
  part("[data-compare-go]").classList.toggle("is-primary", count > 1);
  part("[data-compare-clear]").hidden = count === 0;
  showBar(part(".compare-bar"), count > 0);
}

/** Announces to keyboard users that Enter compares: the bar's button comes after all rows. */
function outcome(count: number): string {
  if (count === 0) return text("script.compare.none");
  const isByKeyboard = count > 1 && document.activeElement?.matches("input[name=id]:focus-visible");
  return text(isByKeyboard ? "script.compare.chosen_by_keys" : "script.compare.chosen", { count });
}

/** Skips an unchanged message, which a screen reader would repeat. */
function say(form: HTMLFormElement, words: string) {
  const line = form.querySelector(".compare-chosen") as HTMLElement;
  if (line.textContent !== words) line.textContent = words;
}

/** Chosen entries can be removed here: their rows may be on another page, or gone. */
function nameItem(template: HTMLTemplateElement, { id, name }: Chosen): Element {
  const item = (template.content.cloneNode(true) as DocumentFragment).firstElementChild as Element;
  const button = item.querySelector("button") as HTMLButtonElement;
  button.dataset.compareRemove = id;
  button.setAttribute("aria-label", text("script.compare.remove", { name }));
  (button.querySelector("span") as HTMLElement).textContent = name;
  return item;
}

/** Shows the bar over the page, and keeps the focused element above it. */
function showBar(bar: HTMLElement, isOver: boolean) {
  bar.classList.toggle("is-over", isOver);
  document.documentElement.style.setProperty("--compare-bar", isOver ? `${bar.offsetHeight}px` : "0px");
}

/** Moves focus to the next name, otherwise to where the entry was chosen; visibly only for keyboard users. */
function keepFocus(form: HTMLFormElement, id: string | undefined, isByKeyboard: boolean) {
  const box = [...form.querySelectorAll<HTMLInputElement>("input[name=id]")].find(
    ({ value }) => value === id,
  );
  const name = form.querySelector<HTMLElement>("[data-compare-remove]");
  const entry = switchOfEntry();
  const next = name ?? box ?? entry ?? document.getElementById("list-results");
  (next as HTMLElement).focus({ preventScroll: !isByKeyboard });
}

/**
 * On the comparison page: its entries become the choice, so that lists go on with them. Readers who followed
 * somebody's link keep their own choice until they go on from there.
 */
function prepareCompared() {
  const table = document.querySelector<HTMLElement>("[data-compared]");
  const back = document.querySelector<HTMLAnchorElement>("[data-compare-list]");
  if (back) back.search = rememberedList(back.dataset.compareList as string);
  if (!table) return;
  const kind = table.dataset.compared as string;
  const compared = [...table.querySelectorAll<HTMLElement>("[data-compared-id]")].map(({ dataset }) => ({
    id: dataset.comparedId as string,
    name: dataset.comparedName as string,
  }));
  const isOwn = document.referrer.startsWith(`${location.origin}/`) || readChoice(kind).length === 0;
  if (isOwn) writeChoice(kind, compared);
  document.querySelector("main")?.addEventListener("click", (event) => {
    const target = event.target as Element;
    if (!target.closest("a")) return;
    const removed = target.closest(".compare-remove")?.closest<HTMLElement>("[data-compared-id]")
      ?.dataset.comparedId;
    writeChoice(
      kind,
      compared.filter(({ id }) => id !== removed),
    );
  });
}
