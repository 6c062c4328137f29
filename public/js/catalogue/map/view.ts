/**
 * The map itself, without its points: ground, bounds and controls.
 *
 * Imports only the needed parts of Leaflet: all of it is half as large again.
 */
import type { Coords, Layer } from "leaflet";
import "leaflet/src/control/Control.Zoom.js";
import { Simple } from "leaflet/src/geo/crs/CRS.Simple.js";
import { LatLngBounds } from "leaflet/src/geo/LatLngBounds.js";
import { ImageOverlay } from "leaflet/src/layer/ImageOverlay.js";
import { SVGOverlay } from "leaflet/src/layer/SVGOverlay.js";
import { GridLayer } from "leaflet/src/layer/tile/GridLayer.js";
import "leaflet/src/map/handler/Map.DoubleClickZoom.js";
import "leaflet/src/map/handler/Map.Drag.js";
import "leaflet/src/map/handler/Map.Keyboard.js";
import "leaflet/src/map/handler/Map.ScrollWheelZoom.js";
import "leaflet/src/map/handler/Map.TouchZoom.js";
import { Map as LeafletMap } from "leaflet/src/map/Map.js";
import { text } from "../../web/texts.ts";
import { element, svgElement } from "./elements.ts";

declare module "leaflet/src/geo/crs/CRS.Simple.js" {
  /** The types know it by its name in the whole of Leaflet alone, `CRS.Simple`. */
  export const Simple: CRS;
}

/** The grid's field in pixels; with each zoom step it is 1000, 500, 250 units of the game wide. */
const FIELD = 125;
/** The closest zoom, in steps of two from the whole map: houses at opposite sides of a road are apart. */
const STEPS_IN = 6;

export const isCalm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Makes the map in its box, over the picture. */
export function createMap(box: HTMLElement): LeafletMap {
  const view = element("div");
  view.className = "map-view";
  view.setAttribute("role", "region");
  box.append(view);
  const bounds = readBounds(box.dataset.bounds);
  const map = new LeafletMap(view, {
    crs: Simple,
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
  keepWhole(map, bounds);
  addZoomControl(map);
  addGround(map, box, bounds);
  return map;
}

/** Above the map: on a phone's small one, the buttons would hide the places of a corner. */
function addZoomControl(map: LeafletMap) {
  Object.assign(map.zoomControl.options, {
    zoomInTitle: text("script.map.zoom_in"),
    zoomOutTitle: text("script.map.zoom_out"),
  });
  map.zoomControl.addTo(map);
  document.querySelector("[data-zoom]")?.append(map.zoomControl.getContainer() as HTMLElement);
}

function addGround(map: LeafletMap, box: HTMLElement, bounds: LatLngBounds) {
  const { ground, groundBounds, drawing } = box.dataset;
  if (ground === undefined) {
    map.on("zoom", () => keepLetters(map));
    keepLetters(map);
  }
  const layer = ground === undefined ? gridOf(bounds) : pictureOf(ground, readBounds(groundBounds), drawing);
  layer.addTo(map);
}

function gridOf(bounds: LatLngBounds): Layer {
  return new Grid({ bounds, tileSize: FIELD, minZoom: -20, maxZoom: 20, className: "map-fields" });
}

function pictureOf(address: string, bounds: LatLngBounds, drawing: string | undefined): Layer {
  if (drawing === undefined) return new ImageOverlay(address, bounds);
  const picture = svgElement("svg", { viewBox: "0 0 1 1", preserveAspectRatio: "none", class: "map-land" });
  picture.append(svgElement("use", { href: address, width: "1", height: "1" }));
  return new SVGOverlay(picture, bounds);
}

/** `west,south,east,north` */
function readBounds(edges = ""): LatLngBounds {
  const [west = 0, south = 0, east = 0, north = 0] = edges.split(",").map(Number);
  return new LatLngBounds([south, west], [north, east]);
}

/** Limits zooming out to the whole map. If all of it is visible, it stays so when the box is resized. */
function keepWhole(map: LeafletMap, bounds: LatLngBounds) {
  let seesWhole = true;
  const limit = () => {
    const sawWhole = seesWhole;
    // The limits of the old box must not bound the zoom that fits the new one.
    Object.assign(map.options, { minZoom: -20, maxZoom: 20 });
    const whole = map.getBoundsZoom(bounds);
    // Before the limit is set, or Leaflet would animate to it and finish after this.
    if (sawWhole) map.fitBounds(bounds, { animate: false });
    else if (map.getZoom() < whole) map.setZoom(whole, { animate: false });
    map.setMinZoom(whole).setMaxZoom(whole + STEPS_IN);
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
  map.getPane("tilePane")?.style.setProperty("--field-scale", `${scale}`);
}
