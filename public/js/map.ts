/**
 * Replaces the page's picture of the map by an interactive one. The list beside it has the same places; without
 * scripts its links show one entry at a time.
 *
 * Imports only the needed parts of Leaflet: all of it is half as large again.
 */
import type { Coords } from "leaflet";
import "leaflet/src/control/Control.Zoom.js";
import { Simple } from "leaflet/src/geo/crs/CRS.Simple.js";
import { LatLngBounds } from "leaflet/src/geo/LatLngBounds.js";
import { ImageOverlay } from "leaflet/src/layer/ImageOverlay.js";
import "leaflet/src/layer/Popup.js";
import { GridLayer } from "leaflet/src/layer/tile/GridLayer.js";
import { CircleMarker } from "leaflet/src/layer/vector/CircleMarker.js";
import { SVG } from "leaflet/src/layer/vector/SVG.js";
import "leaflet/src/map/handler/Map.DoubleClickZoom.js";
import "leaflet/src/map/handler/Map.Drag.js";
import "leaflet/src/map/handler/Map.Keyboard.js";
import "leaflet/src/map/handler/Map.ScrollWheelZoom.js";
import "leaflet/src/map/handler/Map.TouchZoom.js";
import { Map as LeafletMap } from "leaflet/src/map/Map.js";
import type { MapPoint } from "../../src/map/point.ts";
import { text } from "./texts.ts";
import { toast } from "./toast.ts";

declare module "leaflet/src/geo/crs/CRS.Simple.js" {
  /** The types know it by its name in the whole of Leaflet alone, `CRS.Simple`. */
  export const Simple: CRS;
}

/** The grid's field in pixels; with each zoom step it is 1000, 500, 250 units of the game wide. */
const FIELD = 125;
/** The zoom for a single house. */
const NEAR = -1;
const NEAREST = 4;

const box = document.querySelector<HTMLElement>("[data-map]");
const isCalm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
const radius = window.matchMedia("(pointer: coarse)").matches ? 11 : 7;
const renderer = new SVG({ padding: 0.5 });
const markers = new Map<string, CircleMarker>();
/** The map, once there are points to put on it. */
let leaflet: LeafletMap | undefined;
/** The element that opened the popup, for focus to return to. */
let opener: HTMLElement | undefined;
let request: AbortController | undefined;
/** Closes the message about the last failure. */
let unsay: () => void = () => undefined;

/** Draws all markers; naming it keeps Leaflet's canvas renderer out of the bundle. */
LeafletMap.include({
  getRenderer(this: LeafletMap) {
    return renderer.addTo(this);
  },
});

if (box) {
  showView(box);
  // Filtering in place changes the points; the map's view stays.
  document.addEventListener("list:shown", () => showView(box));
}

/** Puts the page's current points on the map. */
async function showView(box: HTMLElement) {
  unsay();
  const {
    points: address = "",
    at = "",
    label = "",
  } = (box.querySelector("[data-map-view]") as HTMLElement).dataset;
  const answer = await askPoints(address);
  if (answer === undefined) return;
  // Until the map is there, picture and links work without it.
  if (!answer.points && !leaflet) return;
  if (!answer.points) {
    const again = { label: text("script.list.again"), run: () => showView(box) };
    unsay = toast(text("script.map.stale"), { action: again });
    return;
  }
  leaflet ??= beginMap(box);
  leaflet.getContainer().setAttribute("aria-label", label);
  for (const marker of markers.values()) marker.remove();
  markers.clear();
  for (const point of answer.points) markers.set(point.id, addMarker(leaflet, point, point.id === at));
  const chosen = markers.get(at);
  if (chosen) show(leaflet, chosen);
}

/** The points of an address; `{}` after a failure, undefined if another address was asked for meanwhile. */
async function askPoints(address: string): Promise<{ points?: MapPoint[] } | undefined> {
  request?.abort();
  request = new AbortController();
  const { signal } = request;
  try {
    const response = await fetch(address, { headers: { Accept: "application/json" }, signal });
    const answer = response.ok ? await response.json() : {};
    return signal.aborted ? undefined : answer;
  } catch {
    return signal.aborted ? undefined : {};
  }
}

/** Replaces the picture by the map. */
function beginMap(box: HTMLElement): LeafletMap {
  const map = createMap(box);
  box.classList.add("is-live");
  (box.querySelector("[data-swap]") as HTMLElement).setAttribute("aria-hidden", "true");
  document.addEventListener("click", (event) => followLink(event, map, box));
  return map;
}

function createMap(box: HTMLElement): LeafletMap {
  const view = element("div");
  view.className = "map-view";
  view.setAttribute("role", "region");
  box.append(view);
  const { bounds: edges = "", image } = box.dataset;
  const [west = 0, south = 0, east = 0, north = 0] = edges.split(",").map(Number);
  const bounds = new LatLngBounds([south, west], [north, east]);
  const map = new LeafletMap(view, {
    crs: Simple,
    maxZoom: NEAREST,
    minZoom: -20,
    zoomSnap: 0,
    zoomAnimation: !isCalm,
    fadeAnimation: false,
    inertia: !isCalm,
    // The wheel scrolls the page past the map.
    scrollWheelZoom: false,
    // Far enough beyond the edge for popups to show whole.
    maxBounds: bounds.pad(0.5),
  });
  map.on("focus", () => map.scrollWheelZoom.enable());
  map.on("blur", () => map.scrollWheelZoom.disable());
  if (!image) map.on("zoom", () => keepLetters(map));
  keepWhole(map, bounds);
  Object.assign(map.zoomControl.options, {
    position: "bottomleft",
    zoomInTitle: text("script.map.zoom_in"),
    zoomOutTitle: text("script.map.zoom_out"),
  });
  map.zoomControl.addTo(map);
  const ground = image
    ? new ImageOverlay(image, bounds)
    : new Grid({ bounds, tileSize: FIELD, minZoom: -20, maxZoom: 20, className: "map-fields" });
  ground.addTo(map);
  map.on("popupopen", ({ popup }) => {
    const button = popup.getElement()?.querySelector(".leaflet-popup-close-button");
    // Leaflet's own label is English.
    button?.setAttribute("aria-label", text("script.map.close"));
  });
  map.on("popupclose", () => {
    const isLost = document.activeElement === document.body;
    if (isLost) (opener ?? view).focus({ preventScroll: true });
    opener = undefined;
  });
  view.addEventListener("keydown", (event) => {
    if (event.key === "Escape") map.closePopup();
  });
  return map;
}

/** Limits zooming out to the whole map. If all of it is visible, it stays so when the box is resized. */
function keepWhole(map: LeafletMap, bounds: LatLngBounds) {
  let seesWhole = true;
  const limit = () => {
    const sawWhole = seesWhole;
    // The limit of the old box must not bound the zoom that fits the new one.
    map.options.minZoom = -20;
    const whole = map.getBoundsZoom(bounds);
    // Before the limit is set, or Leaflet would animate to it and finish after this.
    if (sawWhole) map.fitBounds(bounds, { animate: false });
    else if (map.getZoom() < whole) map.setZoom(whole, { animate: false });
    map.setMinZoom(whole);
    seesWhole = sawWhole;
  };
  map.on("zoomend", () => {
    seesWhole = map.getZoom() < map.getMinZoom() + 0.01;
  });
  map.on("resize", limit);
  limit();
}

/** Fields with round coordinates at their corners, in the page's own colours. */
class Grid extends GridLayer {
  override createTile({ x, y, z }: Coords): HTMLElement {
    const units = FIELD / 2 ** z;
    // In pixels, y grows downwards.
    const tile = element("div", `${Math.round(x * units)}, ${Math.round(-y * units)}`);
    tile.className = "map-field";
    return tile;
  }
}

/** Between two zoom steps the grid is stretched; its labels are not. */
function keepLetters(map: LeafletMap) {
  const zoom = map.getZoom();
  const scale = map.getZoomScale(zoom, Math.round(zoom));
  map.getContainer().style.setProperty("--field-scale", `${scale}`);
}

function addMarker(map: LeafletMap, point: MapPoint, isChosen: boolean): CircleMarker {
  const marker = new CircleMarker([point.y, point.x], {
    radius: isChosen ? radius * 1.5 : radius,
    className: isChosen ? "map-marker is-chosen" : "map-marker",
  });
  marker.bindPopup(() => describe(point), { minWidth: 230, maxWidth: 260, autoPanPadding: [16, 16] });
  return marker.addTo(map);
}

function describe(point: MapPoint): HTMLElement {
  const { href, name, lang, original, originalLang, category, categoryLang, position, price } = point;
  const link = element("a", name, lang);
  link.href = href;
  const facts = element("dl");
  facts.className = "facts";
  const rows = [
    ["script.map.category", category, categoryLang],
    ["script.map.position", position],
    ["script.map.price", price],
  ] as const;
  for (const [key, value, language] of rows) {
    if (value) facts.append(element("dt", text(key)), element("dd", value, language));
  }
  const content = element("div");
  content.append(link, ...(original ? [element("p", original, originalLang)] : []), facts);
  return content;
}

/** `language` is that of the content, where it is known. */
function element<Name extends keyof HTMLElementTagNameMap>(name: Name, content = "", language = "") {
  const made = document.createElement(name);
  made.textContent = content;
  if (language) made.lang = language;
  return made;
}

/** A link of the list shows its entry in place; one whose entry is not on this map leads to a map that has it. */
function followLink(event: MouseEvent, map: LeafletMap, box: HTMLElement) {
  const link = (event.target as Element).closest<HTMLElement>("[data-show]");
  const marker = markers.get(link?.dataset.show ?? "");
  if (!link || !marker || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  box.scrollIntoView({ block: "nearest", behavior: isCalm ? "auto" : "smooth" });
  show(map, marker);
  opener = link;
  map.getContainer().querySelector<HTMLElement>(".leaflet-popup-content a")?.focus({ preventScroll: true });
}

function show(map: LeafletMap, marker: CircleMarker) {
  map.setView(marker.getLatLng(), Math.max(map.getZoom(), NEAR), { animate: false });
  marker.openPopup();
}
