/** A record's position in the game's world: x grows to the east, y to the north. */
export interface Position {
  readonly x: number;
  readonly y: number;
  /** Height, if known. */
  readonly z: number | undefined;
}

/** The coordinates of a position as players copy them into the game, without a language's separators. */
export function positionText({ x, y, z }: { x: number; y: number; z?: number | undefined }): string {
  const axes = z === undefined ? [x, y] : [x, y, z];
  return axes.map((value) => String(Math.round(value * 10) / 10 + 0)).join(", ");
}

/** The spellings of positions in sources, as paths to the coordinates. */
const SPELLINGS = [
  { x: ["x"], y: ["y"], z: ["z"] },
  { x: ["pos_x"], y: ["pos_y"], z: ["pos_z"] },
  { x: ["position", "x"], y: ["position", "y"], z: ["position", "z"] },
  { x: ["position", "0"], y: ["position", "1"], z: ["position", "2"] },
] as const;

/** A coordinate as text; the database's function `place_among` has the same rule. */
const COORDINATE = /^-?[0-9]{1,7}([.][0-9]{1,30})?$/;
const MOST = 1e7;

/** The position in attributes: `x, y`, `pos_x, pos_y`, `position: { x, y }` or `position: [x, y, z]`. */
export function readPosition(attributes: Record<string, unknown>): Position | undefined {
  const spelling = spellingIn(attributes);
  const [x, y, z] = (["x", "y", "z"] as const).map(
    (axis) => spelling && coordinateAt(attributes, spelling[axis]),
  );
  return x === undefined || y === undefined ? undefined : { x, y, z };
}

/** The attributes without the coordinates that `readPosition` reads; all of them if they contain no position. */
export function withoutPosition(attributes: Record<string, unknown>): Record<string, unknown> {
  const found = spellingIn(attributes);
  const read = new Set<string>(found && [found.x[0], found.y[0], found.z[0]]);
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => !read.has(name)));
}

const AXES = ["x", "y", "z"] as const;

/** One axis of a game's world, or its other direction. */
interface Axis {
  readonly name: (typeof AXES)[number];
  readonly isTurned: boolean;
}

/** Which axes of a game grow to the east and to the north. */
export type MapAxes = readonly [east: Axis, north: Axis];

/** Reads `x,-z`; undefined for anything but two different axes. */
export function parseAxes(text: string): MapAxes | undefined {
  const axes = text.split(",").map((part): Axis | undefined => {
    const [, sign, letter] = /^([+-]?)([xyz])$/i.exec(part.trim()) ?? [];
    const name = AXES.find((each) => each === letter?.toLowerCase());
    return name && { name, isTurned: sign === "-" };
  });
  const [east, north] = axes;
  return axes.length === 2 && east && north && east.name !== north.name ? [east, north] : undefined;
}

/** The attributes with their position in the map's axes; unchanged unless both of the game's axes are known. */
export function turnPlace(
  attributes: Record<string, unknown>,
  [east, north]: MapAxes,
): Record<string, unknown> {
  const has = (paths: (typeof SPELLINGS)[number], { name }: Axis) =>
    coordinateAt(attributes, paths[name]) !== undefined;
  const spelling = SPELLINGS.find((each) => has(each, east) && has(each, north));
  if (!spelling) return attributes;
  const up = AXES.find((name) => name !== east.name && name !== north.name) ?? "z";
  const read = (name: Axis["name"]) => coordinateAt(attributes, spelling[name]);
  // Not `-0`, which JSON does not have.
  const turned = ({ name, isTurned }: Axis) => (isTurned ? 0 - (read(name) ?? 0) : read(name));
  const spelt = new Set<string>(AXES.map((name) => spelling[name][0]));
  const others = Object.entries(attributes).filter(([name]) => !spelt.has(name));
  const height = read(up);
  const place = [["x", turned(east)], ["y", turned(north)], ...(height === undefined ? [] : [["z", height]])];
  return Object.fromEntries([...place, ...others]);
}

/**
 * SQL: true for rows where `readPosition` finds a position. Written as in the indexes, so that Postgres can use them.
 */
export const HAS_POSITION = "place_among(attributes) is not null";

/** The first complete spelling. */
function spellingIn(attributes: Record<string, unknown>) {
  return SPELLINGS.find(({ x, y }) => [x, y].every((path) => coordinateAt(attributes, path) !== undefined));
}

function coordinateAt(attributes: Record<string, unknown>, path: readonly string[]): number | undefined {
  const value = path.reduce<unknown>(readPart, attributes);
  if (typeof value === "number") return Math.abs(value) < MOST ? value : undefined;
  return typeof value === "string" && COORDINATE.test(value) ? Number(value) : undefined;
}

function readPart(value: unknown, name: string): unknown {
  const isHolder = typeof value === "object" && value !== null && Object.hasOwn(value, name);
  return isHolder ? (value as Record<string, unknown>)[name] : undefined;
}
