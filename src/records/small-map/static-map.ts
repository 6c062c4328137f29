import type { Bounds } from "../../settings/look.ts";
import type { Position } from "../position.ts";

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
  /** The dots of each price step. */
  readonly dots: readonly Dots[];
}

/** Dots of one colour. */
interface Dots {
  /** Step of their price; undefined where colours say nothing of prices. */
  readonly step: number | undefined;
  /** One path with a dot for each place: a line of zero length with round ends. */
  readonly path: string;
}

/** A place on a map and the step of its price. */
export interface Drawn {
  readonly place: Pick<Position, "x" | "y">;
  readonly step: number | undefined;
}

const LINES = 6;
/** How many digits of a label fit into the width of the map. */
const LETTERS_PER_WIDTH = 38;
/** More dots than these are drawn on a raster this fine, where those that would hide each other are one. */
const FEW = 1000;
const RASTER = 400;

export function drawMap(bounds: Bounds, places: readonly Drawn[]): StaticMap {
  const { west, south, east, north } = bounds;
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
    dots: drawDots(places, places.length > FEW ? width / RASTER : undefined),
  };
}

/** True if the place is within the map's bounds. */
export function isOnMap({ west, south, east, north }: Bounds, { x, y }: Pick<Position, "x" | "y">): boolean {
  return x >= west && x <= east && y >= south && y <= north;
}

/** One path for each step, cheapest first. */
function drawDots(places: readonly Drawn[], raster: number | undefined): Dots[] {
  const steps = [...new Set(places.map(({ step }) => step))].sort((a = 0, b = 0) => a - b);
  return steps.map((step) => {
    const dots = places.filter((one) => one.step === step).map(({ place }) => drawDot(place, raster));
    return { step, path: [...new Set(dots)].join("") };
  });
}

function drawDot({ x, y }: Pick<Position, "x" | "y">, raster: number | undefined): string {
  const at = (value: number) => round(raster ? Math.round(value / raster) * raster : value);
  return `M${at(x)} ${at(-y)}h0`;
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
