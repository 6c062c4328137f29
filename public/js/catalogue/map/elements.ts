/** Elements that the map's scripts make. */
import type { MapPoint } from "../../../../src/catalogue/map/clusters.ts";

/** `language` is that of the content, where it is known. */
export function element<Name extends keyof HTMLElementTagNameMap>(name: Name, content = "", language = "") {
  const made = document.createElement(name);
  made.textContent = content;
  if (language) made.lang = language;
  return made;
}

/** The main name of a point, for those who know its language too; none where that is unknown. */
export function secondName(tag: "p" | "span", { other }: MapPoint): HTMLElement[] {
  if (!other?.lang) return [];
  const made = element(tag, other.name, other.lang);
  made.className = "other-name";
  made.dataset.second = "";
  return [made];
}

export function svgElement(name: "svg" | "use", attributes: Record<string, string>): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** A drawing of public/img/icons.svg, whose address is in `data-icons` of the map. */
export function icon(name: string): SVGElement {
  const address = document.querySelector<HTMLElement>("[data-icons]")?.dataset.icons;
  const made = svgElement("svg", { class: "icon", "aria-hidden": "true" });
  made.append(svgElement("use", { href: `${address}#${name}` }));
  return made;
}

interface Signed {
  readonly glyph: string;
  readonly tint?: string | undefined;
  readonly step?: number | undefined;
}

/** The sign of an entry: the drawing of its category in the colour of its price, else of its category. */
export function sign({ glyph, tint = "", step }: Signed): HTMLElement {
  const made = element("span");
  made.className = `map-sign ${step === undefined ? tint : `price-${step}`}`.trim();
  made.append(icon(glyph));
  return made;
}
