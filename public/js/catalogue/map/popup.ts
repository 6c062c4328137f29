/** The popup of a point, or of several at one spot. */
import { Popup } from "leaflet/src/layer/Popup.js";
import type { Map as LeafletMap } from "leaflet/src/map/Map.js";
import type { MapPoint } from "../../../../src/catalogue/map/clusters.ts";
import { positionText } from "../../../../src/records/position.ts";
import { text } from "../../web/texts.ts";
import { element, secondName, sign } from "./elements.ts";
import { countText } from "./markers.ts";

/** Entries at one spot that a popup names; the list has all. */
const NAMED = 12;

/** Opens the popup over its points. */
export function openPopup(map: LeafletMap, points: readonly MapPoint[]) {
  const [first] = points;
  if (!first) return;
  new Popup({ minWidth: 230, maxWidth: 260, autoPanPadding: [16, 16], offset: [0, -8] })
    .setLatLng([first.y, first.x])
    .setContent(points.length === 1 ? describe(first) : describeAll(points))
    .openOn(map);
}

function describe(point: MapPoint): HTMLElement {
  const { category, categoryLang, price } = point;
  const facts = element("dl");
  facts.className = "facts";
  const rows = [
    ["script.map.category", category, categoryLang],
    ["script.map.position", positionText(point)],
    ["script.map.price", price],
  ] as const;
  for (const [key, value, language] of rows) {
    if (value) facts.append(element("dt", text(key)), element("dd", value, language));
  }
  const content = element("div");
  content.append(linkTo(point), ...secondName("p", point), facts);
  return content;
}

function describeAll(points: readonly MapPoint[]): HTMLElement {
  const list = element("ul");
  list.className = "map-together";
  for (const point of points.slice(0, NAMED)) {
    const line = element("li");
    line.append(sign(point), linkTo(point));
    list.append(line);
  }
  const more = points.length - NAMED;
  if (more > 0) list.append(element("li", countText("script.map.more", more)));
  const content = element("div");
  content.append(element("p", text("script.map.together")), list);
  return content;
}

function linkTo({ href, name, lang }: MapPoint): HTMLAnchorElement {
  const link = element("a", name, lang);
  link.href = href;
  return link;
}
