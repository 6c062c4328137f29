/** Finds one of many categories by what is typed into the field above them (`data-find`), for list.ts. */

/** Also for the fields of parts that replace others later. */
export function findInLists() {
  document.addEventListener("input", ({ target }) => {
    if ((target as Element).matches("[data-find]")) find(target as HTMLInputElement);
  });
  document.addEventListener("list:shown", () => {
    for (const field of document.querySelectorAll<HTMLInputElement>("[data-find]")) find(field);
  });
}

/** Shows the places (`data-findable`) that have the typed letters, and unfolds them while there are letters. */
function find(field: HTMLInputElement) {
  const list = field.closest("nav") as HTMLElement;
  const typed = folded(field.value.trim());
  let found = 0;
  for (const place of list.querySelectorAll<HTMLElement>("[data-findable]")) {
    place.hidden = !folded(place.textContent).includes(typed);
    found += Number(!place.hidden);
  }
  const more = list.querySelector("details") as HTMLDetailsElement;
  if (typed !== "") more.open = true;
  more.classList.toggle("is-found", typed !== "");
  (list.querySelector("[data-find-none]") as HTMLElement).hidden = found > 0;
}

/** Without case, accents and dots, as people type names. */
function folded(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}
