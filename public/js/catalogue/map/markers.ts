/** The points of the map: a sign for each, or one with their number for those too near to tell apart. */
import { LatLngBounds } from "leaflet/src/geo/LatLngBounds.js";
import type { Map as LeafletMap } from "leaflet/src/map/Map.js";
import { type Cluster, clusterPoints, type MapPoint } from "../../../../src/catalogue/map/clusters.ts";
import { text } from "../../web/texts.ts";
import { element, sign } from "./elements.ts";
import { SignLayer } from "./signs.ts";
import { isCalm } from "./view.ts";

/** Points nearer than this, in pixels, are one cluster: as wide as its sign, so that no sign hides another. */
const APART = window.matchMedia("(pointer: coarse)").matches ? 46 : 38;
/** How far beyond the box there are signs, by its size: a drag gets that far before others are made. */
const MARGIN = 0.25;
/** How far the signs may be stretched or shrunk while two fingers zoom, in steps of two. */
const STRETCH = 0.5;

/** A cluster on the map, with the sign that shows it. */
interface Shown {
  readonly cluster: Cluster<MapPoint>;
  readonly sign: HTMLElement;
}

/** The state that the signs were made for. */
interface Drawn {
  readonly zoom: number;
  readonly sight: LatLngBounds;
}

interface Events {
  /** Opens a point, or several that no zoom separates. */
  readonly open: (points: readonly MapPoint[]) => void;
  /** The pointer or the focus is on a point; undefined: on none any more. */
  readonly touch: (id: string | undefined) => void;
}

export class PlaceMarkers {
  readonly #map: LeafletMap;
  readonly #events: Events;
  readonly #layer: SignLayer;
  #points: readonly MapPoint[] = [];
  #chosen = "";
  #marked: string | undefined;
  /** By zoom level: each is computed once. */
  readonly #levels = new Map<number, Cluster<MapPoint>[]>();
  /** The shown markers by the ids of their points. */
  #shown = new Map<string, Shown>();
  readonly #ofSign = new WeakMap<HTMLElement, Cluster<MapPoint>>();
  #drawn: Drawn | undefined;

  constructor(map: LeafletMap, events: Events) {
    this.#map = map;
    this.#events = events;
    this.#layer = new SignLayer({
      press: (sign) => this.#press(this.#clusterOf(sign)),
      touch: (sign) => this.#touch(sign),
    }).addTo(map);
    map.on("move", () => this.#isNear(STRETCH) || this.#draw());
    map.on("moveend resize", () => this.#isNear(0) || this.#draw());
  }

  /** Shows these points; `chosen` is the id of the one that stands alone, whatever is near. */
  show(points: readonly MapPoint[], chosen: string) {
    this.#points = points;
    this.#chosen = chosen;
    this.#levels.clear();
    this.#shown.clear();
    this.#draw();
  }

  /** Marks the point, or the cluster that it is in. */
  mark(id: string | undefined) {
    this.#marked = id;
    for (const shown of this.#shown.values()) this.#paint(shown);
  }

  /** True while the current signs serve the visible part, stretched by at most so many steps. */
  #isNear(steps: number): boolean {
    if (!this.#drawn) return false;
    const { zoom, sight } = this.#drawn;
    return Math.abs(this.#map.getZoom() - zoom) <= steps && sight.contains(this.#map.getBounds());
  }

  #draw() {
    const sight = this.#map.getBounds().pad(MARGIN);
    const [west, south, east, north] = [sight.getWest(), sight.getSouth(), sight.getEast(), sight.getNorth()];
    const shown = new Map<string, Shown>();
    for (const cluster of this.#clusters()) {
      const { x, y } = cluster;
      if (x < west || x > east || y < south || y > north) continue;
      const key = keyOf(cluster);
      shown.set(key, this.#shown.get(key) ?? this.#make(cluster));
    }
    const focused = document.activeElement;
    this.#layer.place([...shown.values()].map(({ sign, cluster }) => [sign, cluster]));
    if (focused && !focused.isConnected) this.#map.getContainer().focus({ preventScroll: true });
    this.#shown = shown;
    this.#drawn = { zoom: this.#map.getZoom(), sight };
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

  #make(cluster: Cluster<MapPoint>): Shown {
    const [first] = cluster.points as [MapPoint];
    const isAlone = cluster.points.length === 1;
    const made = isAlone ? singleSign(first) : clusterSign(cluster.points.length);
    if (isAlone && first.id === this.#chosen) made.classList.add("is-chosen");
    this.#ofSign.set(made, cluster);
    const shown = { cluster, sign: made };
    this.#paint(shown);
    return shown;
  }

  #paint({ cluster, sign }: Shown) {
    const isMarked = this.#marked !== undefined && cluster.points.some(({ id }) => id === this.#marked);
    sign.classList.toggle("is-marked", isMarked);
  }

  #clusterOf(sign: HTMLElement): Cluster<MapPoint> {
    return this.#ofSign.get(sign) as Cluster<MapPoint>;
  }

  /** The sign with the focus is brought into sight: it may be one beyond the edge. */
  #touch(sign: HTMLElement | undefined) {
    const cluster = sign && this.#clusterOf(sign);
    const [first] = cluster?.points.length === 1 ? cluster.points : [];
    this.#events.touch(first?.id);
    if (cluster && sign?.matches(":focus-visible"))
      this.#map.panInside([cluster.y, cluster.x], { padding: [APART / 2, APART / 2], animate: !isCalm });
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

/** One of each look, to copy: that is many times as fast as to make it. */
const looks = new Map<string, HTMLElement>();

function singleSign({ glyph, tint, step, name, lang }: MapPoint): HTMLElement {
  const look = `${glyph} ${step ?? tint}`;
  const made = copyOf(look, "map-marker", () => sign({ glyph, tint, step }));
  made.setAttribute("aria-label", name);
  if (lang) made.lang = lang;
  return made;
}

function clusterSign(count: number): HTMLElement {
  const made = copyOf(`${count}`, "map-cluster", () => element("span", `${count}`));
  made.setAttribute("aria-label", countText("script.map.cluster", count));
  return made;
}

function copyOf(look: string, className: string, content: () => HTMLElement): HTMLElement {
  const known = looks.get(look) ?? buttonOf(className, content());
  looks.set(look, known);
  return known.cloneNode(true) as HTMLElement;
}

function buttonOf(className: string, content: HTMLElement): HTMLElement {
  const made = element("div");
  made.className = className;
  made.setAttribute("role", "button");
  made.tabIndex = 0;
  made.append(content);
  return made;
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
