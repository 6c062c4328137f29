/** An entry on the map or in its list, in the reader's language. */
export interface Point {
  readonly id: string;
  readonly name: string;
  /** Language of the name, if known. */
  readonly lang: string | undefined;
  /** The main name and its language, if `name` is a translation. */
  readonly other: { readonly name: string; readonly lang: string | undefined } | undefined;
  readonly category: string | null;
  /** The drawing of public/img/icons.svg that stands for the category. */
  readonly glyph: string;
  /** The class of the category's colour, if it has one. */
  readonly tint: string | undefined;
  readonly x: number;
  readonly y: number;
  readonly price: string | undefined;
  /** Step of the price, from 1; undefined without a price, or where no colours tell prices apart. */
  readonly step: number | undefined;
}

export interface ListedPoint extends Point {
  /** In the format of the game's commands; scripts write it from x and y. */
  readonly position: string;
  /** True if the entry is outside the map's bounds. */
  readonly isOutside: boolean;
}

/** An entry on the map as the page's script gets it. */
export interface MapPoint extends Point {
  readonly categoryLang: string | undefined;
  readonly href: string;
}

/** What is drawn at a spot of its own. */
interface Spot {
  readonly x: number;
  readonly y: number;
}

/** Points too near to each other to tell apart, or a single one; where the first of them is. */
export interface Cluster<Point extends Spot> extends Spot {
  /** Points in their original order, at least one. */
  readonly points: readonly Point[];
}

/**
 * Puts points together that lie less than `reach` from the first one of their cluster, in units of the game. Each point
 * is in exactly one cluster, the nearest of those made before it; no two clusters are nearer than `reach`. Reads only
 * the fields around a point, so that 5,000 take a few milliseconds.
 */
export function clusterPoints<Point extends Spot>(points: readonly Point[], reach: number): Cluster<Point>[] {
  const clusters: Growing<Point>[] = [];
  const fields = new Map<number, Growing<Point>[]>();
  for (const point of points) {
    const [column, row] = [Math.floor(point.x / reach), Math.floor(point.y / reach)];
    const near = nearestCluster(fields, point, column, row, reach);
    if (near) near.points.push(point);
    else {
      const made = { x: point.x, y: point.y, points: [point] };
      clusters.push(made);
      const field = fieldAt(column, row);
      const others = fields.get(field);
      if (others) others.push(made);
      else fields.set(field, [made]);
    }
  }
  return clusters;
}

interface Growing<Point extends Spot> extends Spot {
  readonly points: Point[];
}

/** The cluster whose first point is nearest, if one is within reach. */
function nearestCluster<Point extends Spot>(
  fields: ReadonlyMap<number, Growing<Point>[]>,
  { x, y }: Spot,
  column: number,
  row: number,
  reach: number,
): Growing<Point> | undefined {
  let found: Growing<Point> | undefined;
  let least = reach;
  for (let dx = -1; dx <= 1; dx++) {
    for (let dy = -1; dy <= 1; dy++) {
      for (const cluster of fields.get(fieldAt(column + dx, row + dy)) ?? NONE) {
        const distance = Math.hypot(cluster.x - x, cluster.y - y);
        if (distance < least) [found, least] = [cluster, distance];
      }
    }
  }
  return found;
}

const NONE: readonly never[] = [];

/** A number, which a Map finds faster than a text. Two fields far from each other may have the same: distances decide. */
function fieldAt(column: number, row: number): number {
  return column * 67_108_859 + row;
}
