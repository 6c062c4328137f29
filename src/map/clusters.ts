/** What is drawn at a spot of its own. */
interface Spot {
  readonly x: number;
  readonly y: number;
}

/** Points too near to each other to tell apart, or a single one; where the first of them is. */
export interface Cluster<Point extends Spot> extends Spot {
  /** In the order given, never empty. */
  readonly points: readonly Point[];
}

/**
 * Puts points together that lie less than `reach` from the first one of their cluster, in units of the game. Each point
 * is in exactly one cluster, the nearest of those made before it; no two clusters are nearer than `reach`. Reads only
 * the fields around a point, so that 5,000 take a few milliseconds.
 */
export function clusterPoints<Point extends Spot>(points: readonly Point[], reach: number): Cluster<Point>[] {
  const groups: Point[][] = [];
  const fields = new Map<string, Point[][]>();
  for (const point of points) {
    const near = nearestGroup(fields, point, reach);
    if (near) near.push(point);
    else {
      const group = [point];
      groups.push(group);
      const field = fieldOf(point, reach);
      fields.set(field, [...(fields.get(field) ?? []), group]);
    }
  }
  return groups.map((group) => {
    const [{ x, y }] = group as [Point];
    return { x, y, points: group };
  });
}

/** The group whose first point is nearest, if one is within reach. */
function nearestGroup<Point extends Spot>(
  fields: ReadonlyMap<string, Point[][]>,
  { x, y }: Spot,
  reach: number,
): Point[] | undefined {
  let found: Point[] | undefined;
  let least = reach;
  for (const [dx, dy] of AROUND) {
    for (const group of fields.get(fieldOf({ x: x + dx * reach, y: y + dy * reach }, reach)) ?? []) {
      const [first] = group as [Point];
      const distance = Math.hypot(first.x - x, first.y - y);
      if (distance < least) [found, least] = [group, distance];
    }
  }
  return found;
}

const AROUND = [-1, 0, 1].flatMap((dx) => [-1, 0, 1].map((dy) => [dx, dy] as const));

function fieldOf({ x, y }: Spot, size: number): string {
  return `${Math.floor(x / size)} ${Math.floor(y / size)}`;
}
