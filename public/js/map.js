/**
 * Puts a map that can be moved over the picture of it that the page came with. What the map says, the list beside it
 * says too; without this script its links show one entry at a time.
 *
 * Of Leaflet only the parts that are used: as a whole it is half as large again.
 */
import { Zoom } from "leaflet/src/control/Control.Zoom.js";
import { Simple } from "leaflet/src/geo/crs/CRS.Simple.js";
import { toLatLngBounds as latLngBounds } from "leaflet/src/geo/LatLngBounds.js";
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
import { text } from "./texts.js";

/** Of the grid, in pixels: at the steps of zoom a field is 1000, 500, 250 units of the game wide. */
const FIELD = 125;
/** As near as a single house is looked at. */
const NEAR = -1;
const NEAREST = 4;

const box = document.querySelector("[data-map]");
const { dataset } = box ?? {};
const isCalm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
const radius = window.matchMedia("(pointer: coarse)").matches ? 11 : 7;
const markers = new Map();
/** What opened the popup, to go back to. */
let opener;

/** All markers are drawn by the one renderer that they name; Leaflet's own choice brings a canvas along. */
LeafletMap.include({
  getRenderer({ options }) {
    return this.hasLayer(options.renderer) ? options.renderer : options.renderer.addTo(this);
  },
});

if (box) start();

async function start() {
  const response = await fetch(dataset.map, { headers: { Accept: "application/json" } }).catch(
    () => undefined,
  );
  // The picture stays, and the links of the list work by themselves.
  if (!response?.ok) return;
  const { points } = await response.json();
  const map = createMap();
  const renderer = new SVG({ padding: 0.5 });
  for (const point of points) markers.set(point.id, addMarker(map, renderer, point));
  box.classList.add("is-live");
  box.querySelector("svg.map-picture").setAttribute("aria-hidden", "true");
  document.addEventListener("click", (event) => followLink(map, event));
  const chosen = markers.get(dataset.at);
  if (chosen) show(map, chosen);
}

function createMap() {
  const view = document.createElement("div");
  view.className = "map-view";
  view.setAttribute("role", "region");
  view.setAttribute("aria-label", dataset.label);
  box.append(view);
  const [west, south, east, north] = dataset.bounds.split(",").map(Number);
  const bounds = latLngBounds([south, west], [north, east]);
  const map = new LeafletMap(view, {
    crs: Simple,
    maxZoom: NEAREST,
    minZoom: -20,
    zoomSnap: 0,
    zoomControl: false,
    zoomAnimation: !isCalm,
    fadeAnimation: false,
    inertia: !isCalm,
    // Somebody who scrolls down the page wants to get past the map.
    scrollWheelZoom: false,
    // So far beyond the edge that a popup at it is seen whole.
    maxBounds: bounds.pad(0.5),
  });
  map.on("focus", () => map.scrollWheelZoom.enable());
  map.on("blur", () => map.scrollWheelZoom.disable());
  if (!dataset.image) map.on("zoom", () => keepLetters(map));
  keepWhole(map, bounds);
  const [zoomInTitle, zoomOutTitle] = [text("script.map.zoom_in"), text("script.map.zoom_out")];
  new Zoom({ zoomInTitle, zoomOutTitle, position: "bottomleft" }).addTo(map);
  (dataset.image ? new ImageOverlay(dataset.image, bounds) : new Grid({ bounds })).addTo(map);
  map.on("popupopen", ({ popup }) => nameCloseButton(popup.getElement()));
  map.on("popupclose", returnFocus);
  view.addEventListener("keydown", (event) => {
    if (event.key === "Escape") map.closePopup();
  });
  return map;
}

/** No further out than the whole of it; whoever sees the whole of it still does when the box gets another size. */
function keepWhole(map, bounds) {
  let seesWhole = true;
  const limit = () => {
    const sawWhole = seesWhole;
    // What shows the whole must not be looked for within the limit of another box.
    map.options.minZoom = -20;
    const whole = map.getBoundsZoom(bounds);
    // Before the limit is set: Leaflet would go there by itself, slowly, and end after this.
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
const Grid = GridLayer.extend({
  options: { tileSize: FIELD, minZoom: -20, maxZoom: 20, className: "map-fields" },
  createTile({ x, y, z }) {
    const units = FIELD / 2 ** z;
    const tile = document.createElement("div");
    tile.className = "map-field";
    // In pixels y grows downwards.
    tile.textContent = `${Math.round(x * units)}, ${Math.round(-y * units)}`;
    return tile;
  },
});

/** Between two whole steps of zoom the grid is stretched; its figures are not. */
function keepLetters(map) {
  const zoom = map.getZoom();
  const scale = map.getZoomScale(zoom, Math.round(zoom));
  map.getContainer().style.setProperty("--field-scale", scale);
}

function addMarker(map, renderer, point) {
  const isChosen = point.id === dataset.at;
  const marker = new CircleMarker([point.y, point.x], {
    renderer,
    radius: isChosen ? radius * 1.5 : radius,
    className: isChosen ? "map-marker is-chosen" : "map-marker",
  });
  marker.bindPopup(() => describe(point), { minWidth: 230, maxWidth: 260, autoPanPadding: [16, 16] });
  return marker.addTo(map);
}

function describe({ href, name, lang, original, category, position, price }) {
  const link = element("a", name);
  link.href = href;
  if (lang) link.lang = lang;
  const facts = element("dl");
  facts.className = "facts";
  const rows = [
    ["script.map.category", category],
    ["script.map.position", position],
    ["script.map.price", price],
  ];
  for (const [key, value] of rows) if (value) facts.append(element("dt", text(key)), element("dd", value));
  const content = element("div");
  content.append(link, ...(original ? [element("p", original)] : []), facts);
  return content;
}

function element(name, content = "") {
  const made = document.createElement(name);
  made.textContent = content;
  return made;
}

/** A link of the list shows its entry in place; one whose entry is not on this map leads to a map that has it. */
function followLink(map, event) {
  const link = event.target.closest("[data-show]");
  const marker = markers.get(link?.dataset.show);
  if (!marker || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  box.scrollIntoView({ block: "nearest", behavior: isCalm ? "auto" : "smooth" });
  show(map, marker);
  opener = link;
  map.getContainer().querySelector(".leaflet-popup-content a")?.focus({ preventScroll: true });
}

function show(map, marker) {
  map.setView(marker.getLatLng(), Math.max(map.getZoom(), NEAR), { animate: false });
  marker.openPopup();
}

/** Leaflet says it in English. */
function nameCloseButton(popup) {
  const button = popup.querySelector(".leaflet-popup-close-button");
  button?.setAttribute("aria-label", text("script.map.close"));
}

function returnFocus() {
  const isLost = document.activeElement === document.body;
  if (isLost) (opener ?? box.querySelector(".map-view")).focus({ preventScroll: true });
  opener = undefined;
}
