import type { Bounds } from "../look-settings.ts";
import type { Place } from "../records/place.ts";

/** The map as a picture that needs no script: SVG in the game's coordinates, but that y grows downwards. */
export interface StaticMap {
  readonly viewBox: string;
  /** Shape of the box, in units of the game. */
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly top: number;
  /** Lines of the grid at round coordinates, and where their figures stand. */
  readonly columns: readonly number[];
  readonly rows: readonly number[];
  /** Height of those figures. */
  readonly letters: number;
  /** One path with a point for each place: a line of no length with round ends. */
  readonly dots: string;
}

const LINES = 6;
/** So many of a line's figures fit into the width of the map. */
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

/** True for a place that the map shows. */
export function isOnMap({ west, south, east, north }: Bounds, { x, y }: Place): boolean {
  return x >= west && x <= east && y >= south && y <= north;
}

/** The next 1, 2 or 5 with zeros, so that figures on a grid are read with ease. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? least;
}

/** Not the edges themselves: they are the frame. */
function multiples(from: number, to: number, step: number): number[] {
  const first = Math.floor(from / step) + 1;
  const count = Math.max(0, Math.ceil(to / step) - first);
  return Array.from({ length: count }, (_, index) => round((first + index) * step));
}

function round(value: number): number {
  // Never -0, which reads as text of its own.
  return Math.round(value * 100) / 100 + 0;
}
