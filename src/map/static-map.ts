import type { Bounds } from "../look-settings.ts";
import type { Place } from "../records/place.ts";

/** The map as a picture that needs no script: SVG in the game's coordinates, except that y grows downwards. */
export interface StaticMap {
  readonly viewBox: string;
  /** Bounds of the view box, in the game's units. */
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly top: number;
  /** Round coordinates of the grid lines and their labels. */
  readonly columns: readonly number[];
  readonly rows: readonly number[];
  /** Height of the labels. */
  readonly letters: number;
  /** One path with a dot for each place: a line of zero length with round ends. */
  readonly dots: string;
}

const LINES = 6;
/** How many digits of a label fit into the width of the map. */
const LETTERS_PER_WIDTH = 38;

export function drawMap({ west, south, east, north }: Bounds, places: readonly Place[]): StaticMap {
  const [width, height] = [east - west, north - south];
  const step = roundStep(Math.max(width, height) / LINES);
  return {
    viewBox: [west, -north, width, height].join(" "),
    width,
    height,
    left: west,
    top: -north,
    columns: multiples(west, east, step),
    rows: multiples(south, north, step),
    letters: width / LETTERS_PER_WIDTH,
    dots: places.map(({ x, y }) => `M${round(x)} ${round(-y)}h0`).join(""),
  };
}

/** True if the place is within the map's bounds. */
export function isOnMap({ west, south, east, north }: Bounds, { x, y }: Place): boolean {
  return x >= west && x <= east && y >= south && y <= north;
}

/** The next 1, 2 or 5 times a power of ten, which makes readable grid labels. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? least;
}

/** Excludes the edges, which are the frame. */
function multiples(from: number, to: number, step: number): number[] {
  const first = Math.floor(from / step) + 1;
  const count = Math.max(0, Math.ceil(to / step) - first);
  return Array.from({ length: count }, (_, index) => round((first + index) * step));
}

function round(value: number): number {
  // Adding 0 turns -0 into 0.
  return Math.round(value * 100) / 100 + 0;
}
