/** Finds places by a part of their name, in the list and on the map at once. */
import type { MapPoint } from "../../../../src/catalogue/map/clusters.ts";
import { positionText } from "../../../../src/records/position.ts";
import { hasWords } from "../../../../src/search/letters.ts";
import { text } from "../../web/texts.ts";
import { element, icon, secondName, sign } from "./elements.ts";
import { countText } from "./markers.ts";

/** Rows that are made; a longer word narrows them down. */
const MOST_ROWS = 50;

/** The points whose name in any shown language, or whose category, has each of the words. */
export function findPlaces(points: readonly MapPoint[], words: string): readonly MapPoint[] {
  if (words.trim() === "") return points;
  return points.filter(({ name, other, category }) =>
    hasWords(`${name} ${other?.name ?? ""} ${category ?? ""}`, words),
  );
}

/** Shows the found points as rows in place of those of the page; the page's own again for undefined. */
export function showFound(found: readonly MapPoint[] | undefined, query: string) {
  const results = document.querySelector("#list-results") as HTMLElement;
  results.querySelector("[data-found-rows]")?.remove();
  results.classList.toggle("is-narrowed", found !== undefined);
  const status = document.querySelector("[data-found]") as HTMLElement;
  const words =
    found &&
    (found.length > 0 ? countText("script.map.found", found.length) : text("script.map.none", { query }));
  status.textContent = words ?? "";
  if (!found) return;
  const body = element("tbody");
  body.dataset.foundRows = "";
  body.append(...found.slice(0, MOST_ROWS).map(rowOf));
  if (found.length === 0) body.append(lineOf(words ?? ""));
  if (found.length > MOST_ROWS) body.append(lineOf(countText("script.map.more", found.length - MOST_ROWS)));
  results.querySelector("table")?.append(body);
}

function rowOf(point: MapPoint): HTMLTableRowElement {
  const row = element("tr");
  row.dataset.place = point.id;
  const action = element("td");
  action.className = "map-action";
  action.append(showLink(point));
  row.append(nameCell(point), figureCell(positionText(point)), priceCell(point.price), action);
  return row;
}

function nameCell(point: MapPoint): HTMLTableCellElement {
  const { href, name, lang, category, categoryLang } = point;
  const cell = element("th");
  cell.scope = "row";
  const link = element("a", name, lang);
  link.href = href;
  cell.append(sign(point), link);
  cell.append(...secondName("span", point));
  if (category) cell.append(line("map-category", category, categoryLang));
  return cell;
}

function priceCell(price: string | undefined): HTMLTableCellElement {
  const cell = figureCell(price ?? "–");
  cell.dataset.label = text("script.map.price");
  return cell;
}

function figureCell(figure: string): HTMLTableCellElement {
  const cell = element("td", figure);
  cell.className = "num";
  return cell;
}

/** Shows the entry on the map; opened in a new tab, it leads to the entry's page. */
function showLink({ id, name, href }: MapPoint): HTMLAnchorElement {
  const link = element("a");
  link.className = "button is-small";
  link.href = href;
  link.dataset.show = id;
  const words = element("span", text("script.map.show", { name }));
  words.className = "map-show";
  link.append(icon("map"), words);
  return link;
}

function lineOf(words: string): HTMLTableRowElement {
  const row = element("tr");
  row.append(element("td", words));
  return row;
}

function line(className: string, content: string, language = ""): HTMLElement {
  const made = element("span", content, language);
  made.className = className;
  return made;
}
