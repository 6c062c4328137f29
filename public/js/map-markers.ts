/** The points of the map: a sign for each, or one with their number for those too near to tell apart. */
import { LatLngBounds } from "leaflet/src/geo/LatLngBounds.js";
import { DivIcon } from "leaflet/src/layer/marker/DivIcon.js";
import { Marker } from "leaflet/src/layer/marker/Marker.js";
import type { Map as LeafletMap } from "leaflet/src/map/Map.js";
import { type Cluster, clusterPoints } from "../../src/map/clusters.ts";
import type { MapPoint } from "../../src/map/point.ts";
import { element, sign } from "./map-elements.ts";
import { isCalm } from "./map-view.ts";
import { text } from "./texts.ts";

/** Points nearer than this, in pixels, are one cluster: as wide as its sign, so that no sign hides another. */
const APART = window.matchMedia("(pointer: coarse)").matches ? 46 : 38;
/** How far beyond the box markers are kept, by its size. */
const MARGIN = 0.25;

/** A cluster on the map, with the marker that shows it. */
interface Shown {
  readonly cluster: Cluster<MapPoint>;
  readonly marker: Marker;
}

interface Events {
  /** Somebody wants to read about a point, or about several that no zoom tells apart. */
  readonly open: (points: readonly MapPoint[]) => void;
  /** The pointer or the focus is on a point; undefined: on none any more. */
  readonly touch: (id: string | undefined) => void;
}

export class PlaceMarkers {
  readonly #map: LeafletMap;
  readonly #events: Events;
  #points: readonly MapPoint[] = [];
  #chosen = "";
  #marked: string | undefined;
  /** By zoom level: each is computed once. */
  readonly #levels = new Map<number, Cluster<MapPoint>[]>();
  /** By the ids of the points. */
  readonly #shown = new Map<string, Shown>();

  constructor(map: LeafletMap, events: Events) {
    this.#map = map;
    this.#events = events;
    map.on("moveend zoomend resize", () => this.#draw());
  }

  /** Shows these points; `chosen` is the id of the one that stands alone, whatever is near. */
  show(points: readonly MapPoint[], chosen: string) {
    this.#points = points;
    this.#chosen = chosen;
    this.#levels.clear();
    for (const { marker } of this.#shown.values()) marker.remove();
    this.#shown.clear();
    this.#draw();
  }

  /** Marks the point, or the cluster that it is in. */
  mark(id: string | undefined) {
    this.#marked = id;
    for (const shown of this.#shown.values()) this.#paint(shown);
  }

  #draw() {
    const sight = this.#map.getBounds().pad(MARGIN);
    const wanted = new Map(
      this.#clusters()
        .filter(({ x, y }) => sight.contains([y, x]))
        .map((cluster) => [keyOf(cluster), cluster]),
    );
    const focused = document.activeElement;
    for (const [key, { marker }] of this.#shown) {
      if (wanted.has(key)) continue;
      if (marker.getElement() === focused) this.#map.getContainer().focus({ preventScroll: true });
      marker.remove();
      this.#shown.delete(key);
    }
    for (const [key, cluster] of wanted) {
      if (!this.#shown.has(key)) this.#shown.set(key, this.#add(cluster));
    }
  }

  /** The clusters of the current zoom, by half steps: in between, nothing would be seen to change. */
  #clusters(): Cluster<MapPoint>[] {
    const level = Math.floor(this.#map.getZoom() * 2) / 2;
    const known = this.#levels.get(level) ?? this.#clustersAt(APART / 2 ** level);
    this.#levels.set(level, known);
    return known;
  }

  #clustersAt(reach: number): Cluster<MapPoint>[] {
    const others = this.#points.filter(({ id }) => id !== this.#chosen);
    const chosen = this.#points.filter(({ id }) => id === this.#chosen);
    return [...clusterPoints(others, reach), ...clusterPoints(chosen, reach)];
  }

  #add(cluster: Cluster<MapPoint>): Shown {
    const [first] = cluster.points as [MapPoint];
    const isAlone = cluster.points.length === 1;
    const label = isAlone ? first.name : countText("script.map.cluster", cluster.points.length);
    const className = isAlone ? `map-marker${first.id === this.#chosen ? " is-chosen" : ""}` : "map-cluster";
    const html = isAlone ? sign(first) : element("span", `${cluster.points.length}`);
    const icon = new DivIcon({ html, className, iconSize: undefined });
    const marker = new Marker([cluster.y, cluster.x], { icon, riseOnHover: true }).addTo(this.#map);
    const made = marker.getElement() as HTMLElement;
    made.setAttribute("aria-label", label);
    if (isAlone && first.lang) made.lang = first.lang;
    const touched = (id: string | undefined) => this.#events.touch(id);
    marker.on("click", () => this.#press(cluster));
    made.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.#press(cluster);
    });
    for (const type of ["pointerenter", "focus"])
      made.addEventListener(type, () => touched(isAlone ? first.id : undefined));
    for (const type of ["pointerleave", "blur"]) made.addEventListener(type, () => touched(undefined));
    const shown = { cluster, marker };
    this.#paint(shown);
    return shown;
  }

  #paint({ cluster, marker }: Shown) {
    const isMarked = this.#marked !== undefined && cluster.points.some(({ id }) => id === this.#marked);
    marker.getElement()?.classList.toggle("is-marked", isMarked);
    marker.setZIndexOffset(isMarked || cluster.points[0]?.id === this.#chosen ? 1000 : 0);
  }

  /** Opens a point; zooms to a cluster until its points are apart. */
  #press({ points }: Cluster<MapPoint>) {
    const bounds = new LatLngBounds(points.map(({ x, y }) => [y, x]));
    const map = this.#map;
    const isClosest = map.getZoom() > map.getMaxZoom() - 0.01;
    if (points.length === 1 || isClosest || isOneSpot(points)) return this.#events.open(points);
    const closer = Math.min(
      map.getMaxZoom(),
      Math.max(map.getBoundsZoom(bounds.pad(0.2)), map.getZoom() + 1),
    );
    map.setView(bounds.getCenter(), closer, { animate: !isCalm });
  }
}

function isOneSpot([first, ...others]: readonly MapPoint[]): boolean {
  return others.every(({ x, y }) => x === first?.x && y === first.y);
}

function keyOf({ points }: Cluster<MapPoint>): string {
  return `${points.length} ${points[0]?.id} ${points.at(-1)?.id}`;
}

/** A text about a number of things. */
export function countText(key: "script.map.cluster" | "script.map.more" | "script.map.found", count: number) {
  return text(key, { count, figure: count.toLocaleString(document.documentElement.lang) });
}
