import { type Bounds, WHOLE_MAP } from "../../settings/look.ts";
import type { Position } from "../position.ts";

/** The part of the map's width that the small map shows, and its height relative to its width. */
const PART = 1 / 3;
const RATIO = 1 / 2;

/** The map as a picture that needs no script: SVG in the game's coordinates, except that y grows downwards. */
interface StaticMap {
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
  /** Step of their price; undefined if colours do not show prices. */
  readonly step: number | undefined;
  /** One path with a dot for each position: a line of zero length with round ends. */
  readonly path: string;
}

/** A position on a map and the step of its price. */
interface Drawn {
  readonly place: Pick<Position, "x" | "y">;
  readonly step: number | undefined;
}

const LINES = 6;
/** How many digits of a label fit into the width of the map. */
const LETTERS_PER_WIDTH = 38;
/** More dots than this are drawn on a raster this fine, where dots that would hide each other are one. */
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

/** True if the position is within the map's bounds. */
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

/** Draws the surroundings of a position; at the edge of the map it is off the middle. */
export function drawSmallMap(bounds: Bounds, { x, y }: Position, nearby: readonly Position[]) {
  const width = (bounds.east - bounds.west) * PART;
  const [west, south] = [
    startOf(x, width, bounds.west, bounds.east),
    startOf(y, width * RATIO, bounds.south, bounds.north),
  ];
  const around = { west, south, east: west + width, north: south + width * RATIO };
  const others = nearby.map((place) => ({ place, step: undefined }));
  return { ...drawMap(around, others), x, y };
}

/** The start of a range around a value that stays within the map, if the value does. */
function startOf(value: number, length: number, from: number, to: number): number {
  const start = value - length / 2;
  const isInside = value >= from && value <= to && to - from >= length;
  return isInside ? Math.min(Math.max(start, from), to - length) : start;
}

/**
 * The ground below the positions: the operator's picture, the demo's land while demo records are shown, or nothing. The
 * land is in a file of drawings, whose colours follow the page's theme.
 */
export function chooseGround(
  look: { readonly mapImage: string | undefined; readonly demoLand: string },
  bounds: Bounds,
  hasDemoPlaces: boolean,
) {
  if (look.mapImage !== undefined) return { href: look.mapImage, isDrawing: false, ...bounds };
  return hasDemoPlaces ? { href: look.demoLand, isDrawing: true, ...WHOLE_MAP } : undefined;
}
