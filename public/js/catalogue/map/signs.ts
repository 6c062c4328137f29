/** The signs on the map, in one box that is moved and stretched as a whole: each on its own would be a layer to blend. */
import type { LatLng, Map as LeafletMap } from "leaflet";
import { Point } from "leaflet/src/geometry/Point.js";
import { Layer } from "leaflet/src/layer/Layer.js";
import { element } from "./elements.ts";

/** The position of a sign, in units of the game. */
interface Spot {
  readonly x: number;
  readonly y: number;
}

interface Events {
  /** A sign was clicked, or pressed with a key. */
  readonly press: (sign: HTMLElement) => void;
  /** The pointer or the focus is on a sign; undefined: on none any more. */
  readonly touch: (sign: HTMLElement | undefined) => void;
}

export class SignLayer extends Layer {
  readonly #box = element("div");
  readonly #events: Events;
  #map: LeafletMap | undefined;
  /** The zoom that the signs are placed for, and what the corner of the box is there. */
  #zoom = 0;
  #corner = new Point(0, 0);

  constructor(events: Events) {
    super();
    // Like Leaflet's markers: above the ground, and the map gets none of their events.
    Object.assign(this.options, { pane: "markerPane", bubblingMouseEvents: false });
    this.#events = events;
    this.#box.className = "map-signs leaflet-zoom-animated";
  }

  override onAdd(map: LeafletMap): this {
    this.#map = map;
    this.getPane()?.append(this.#box);
    map.on("viewreset zoom", () => this.#stretch());
    map.on("zoomanim", ({ center, zoom }) => this.#stretch(center, zoom));
    this.addInteractiveTarget(this.#box);
    this.on("click", ({ originalEvent }) => this.#press(originalEvent));
    // Heard here, a second click does not make the map zoom as well.
    this.on("dblclick", () => undefined);
    this.#listen();
    return this;
  }

  #listen() {
    this.#box.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") this.#press(event);
    });
    for (const type of ["pointerover", "focusin"])
      this.#box.addEventListener(type, (event) => this.#events.touch(signOf(event)));
    for (const type of ["pointerout", "focusout"])
      this.#box.addEventListener(type, () => this.#events.touch(undefined));
  }

  /** Takes the place of all signs: those are placed for the map's zoom of now. */
  place(signs: readonly (readonly [sign: HTMLElement, spot: Spot])[]) {
    const map = this.#map as LeafletMap;
    this.#zoom = map.getZoom();
    this.#corner = map.getPixelOrigin();
    const kept = new Set<Element>(signs.map(([sign]) => sign));
    for (const sign of [...this.#box.children]) if (!kept.has(sign)) sign.remove();
    for (const [sign, { x, y }] of signs) {
      const at = map.project([y, x], this.#zoom).subtract(this.#corner);
      sign.style.left = `${Math.round(at.x)}px`;
      sign.style.top = `${Math.round(at.y)}px`;
    }
    this.#box.append(...signs.map(([sign]) => sign).filter((sign) => !sign.isConnected));
    this.#stretch();
  }

  /** Brings the box to where its signs are in a view of the map: the one of now, or the one that it is going to. */
  #stretch(center?: LatLng, zoom?: number) {
    const map = this.#map as LeafletMap;
    const scale = map.getZoomScale(zoom ?? map.getZoom(), this.#zoom);
    const origin = center && zoom !== undefined ? originOf(map, center, zoom) : map.getPixelOrigin();
    const { x, y } = this.#corner.multiplyBy(scale).subtract(origin);
    this.#box.style.transform = `translate3d(${x}px, ${y}px, 0) scale(${scale})`;
  }

  #press(event: Event) {
    const sign = signOf(event);
    if (!sign) return;
    event.preventDefault();
    this.#events.press(sign);
  }
}

function signOf({ target }: Event): HTMLElement | undefined {
  return (target as Element).closest<HTMLElement>("[role=button]") ?? undefined;
}

/** The pixel that is the corner of the map's panes in another view. */
function originOf(map: LeafletMap, center: LatLng, zoom: number): Point {
  const middle = map.project(center, zoom).subtract(map.getSize().divideBy(2));
  return middle.subtract(map.containerPointToLayerPoint([0, 0])).round();
}
