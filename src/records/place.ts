/** Where a record lies in the game's world: x grows to the east, y to the north. */
export interface Place {
  readonly x: number;
  readonly y: number;
  /** Height, where it is known. */
  readonly z: number | undefined;
}

/** The ways in which sources write a place, as paths to the coordinates. */
const SPELLINGS = [
  { x: ["x"], y: ["y"], z: ["z"] },
  { x: ["pos_x"], y: ["pos_y"], z: ["pos_z"] },
  { x: ["position", "x"], y: ["position", "y"], z: ["position", "z"] },
  { x: ["position", "0"], y: ["position", "1"], z: ["position", "2"] },
] as const;

/** A coordinate as text; the database's function `place_among` has the same rule. */
const COORDINATE = /^-?[0-9]{1,7}([.][0-9]{1,30})?$/;
const MOST = 1e7;

/** The place among attributes: `x, y`, `pos_x, pos_y`, `position: { x, y }` or `position: [x, y, z]`. */
export function placeOf(attributes: Record<string, unknown>): Place | undefined {
  for (const spelling of SPELLINGS) {
    const [x, y] = [coordinateAt(attributes, spelling.x), coordinateAt(attributes, spelling.y)];
    if (x !== undefined && y !== undefined) return { x, y, z: coordinateAt(attributes, spelling.z) };
  }
  return undefined;
}

/** SQL: true for the rows in which `placeOf` finds a place. Spelled as in the indexes, so that they can serve it. */
export const HAS_PLACE = "place_among(attributes) is not null";

function coordinateAt(attributes: Record<string, unknown>, path: readonly string[]): number | undefined {
  const value = path.reduce<unknown>(partOf, attributes);
  if (typeof value === "number") return Math.abs(value) < MOST ? value : undefined;
  return typeof value === "string" && COORDINATE.test(value) ? Number(value) : undefined;
}

function partOf(value: unknown, name: string): unknown {
  const isHolder = typeof value === "object" && value !== null && Object.hasOwn(value, name);
  return isHolder ? (value as Record<string, unknown>)[name] : undefined;
}
