import type { Bounds } from "../../settings/look.ts";
import type { Position } from "../position.ts";
import { drawMap, type StaticMap } from "./static-map.ts";

/** The part of the world around a place, with the place itself and what is near. */
export interface SmallMap extends StaticMap {
  readonly x: number;
  readonly y: number;
}

/** How much of the map's width the small map shows, and its height by its width. */
const PART = 1 / 3;
const RATIO = 1 / 2;

/** Draws the surroundings of a place; at the edge of the map the place is off the middle. */
export function drawSmallMap(bounds: Bounds, { x, y }: Position, nearby: readonly Position[]): SmallMap {
  const width = (bounds.east - bounds.west) * PART;
  const [west, south] = [
    startOf(x, width, bounds.west, bounds.east),
    startOf(y, width * RATIO, bounds.south, bounds.north),
  ];
  const around = { west, south, east: west + width, north: south + width * RATIO };
  const others = nearby.map((place) => ({ place, step: undefined }));
  return { ...drawMap(around, others), x, y };
}

/** The start of a stretch around a value that stays within the map, if the value does. */
function startOf(value: number, length: number, from: number, to: number): number {
  const start = value - length / 2;
  const isInside = value >= from && value <= to && to - from >= length;
  return isInside ? Math.min(Math.max(start, from), to - length) : start;
}
