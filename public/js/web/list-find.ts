/** Finds one of many categories by what is typed into the field above them (`data-find`), for list.ts. */

import { hasWords } from "../../../src/search/letters.ts";

/** Includes fields of parts that replace others later. */
export function findInLists() {
  document.addEventListener("input", ({ target }) => {
    if ((target as Element).matches("[data-find]")) find(target as HTMLInputElement);
  });
  document.addEventListener("list:shown", () => {
    for (const field of document.querySelectorAll<HTMLInputElement>("[data-find]")) find(field);
  });
}

/** Shows the places (`data-findable`) that have the typed words, and unfolds them while there are letters. */
function find(field: HTMLInputElement) {
  const list = field.closest("nav") as HTMLElement;
  const typed = field.value.trim();
  let found = 0;
  for (const place of list.querySelectorAll<HTMLElement>("[data-findable]")) {
    place.hidden = !hasWords(place.textContent, typed);
    found += Number(!place.hidden);
  }
  const more = list.querySelector("details") as HTMLDetailsElement;
  if (typed !== "") more.open = true;
  more.classList.toggle("is-found", typed !== "");
  (list.querySelector("[data-find-none]") as HTMLElement).hidden = found > 0;
}
