import type { Db } from "../../db/connect.ts";
import { selectRows } from "../../db/rows.ts";
import type { EntityKind } from "../../words/kinds/kinds.ts";
import { MADE_OF } from "./kinds.ts";
import { type End, type EntryName, type EntryNames, keyOf } from "./queries.ts";

/** How many levels and parts of a recipe are read. */
export const DEEPEST = 8;
export const MOST_PARTS = 200;

/** A part of an entry, or a part of a part. */
export interface Part {
  /** The path of parts to this one, each by its kind and id, from the entry itself to this part. */
  readonly path: string[];
  readonly kind: EntityKind;
  readonly id: string;
  /** How many go into the entry, one for each relation without a count. */
  readonly count: number;
  /** True if every relation on the path has a count. */
  readonly isCounted: boolean;
  /** The chance of the last relation, a share of 1. */
  readonly chance: number | null;
  /** True if it is among its own parts' parts. Its own are not read again. */
  readonly isCircle: boolean;
}

/** A part in the catalogue. */
type NamedPart = Part & EntryName;

/** The parts of an entry, with their own parts on all levels. */
export interface Recipe {
  /** Its parts in the order of the page, each before its own parts. */
  readonly lines: RecipeLine[];
  /** The parts that are made of nothing else, each once with the total number for the entry. */
  readonly totals: RecipeTotal[];
  /** The cost of all of them, as far as prices are known; undefined if none is. */
  readonly cost: number | undefined;
  /** Whether there are more parts than are read, so the totals are incomplete. */
  readonly isCut: boolean;
  /** Whether something is among its own parts; it was not counted again. */
  readonly hasCircle: boolean;
  /** Whether some count is unknown, and counted as one. */
  readonly hasUncounted: boolean;
  /** How many parts are not in the catalogue; they are neither shown nor counted. */
  readonly missing: number;
}

export interface RecipeLine {
  readonly part: NamedPart;
  /** How many of its own parts follow. */
  readonly parts: number;
  /** How many lists of parts end after it. */
  readonly closes: number;
}

interface RecipeTotal {
  readonly part: NamedPart;
  readonly count: number;
  /** The cost of these; undefined if the price of one is unknown. */
  readonly cost: number | undefined;
}

interface Node {
  readonly part: NamedPart;
  readonly parts: Node[];
}

/** Builds a recipe from the rows of `listParts`. */
export function readRecipe(rows: readonly Part[], names: EntryNames): Recipe {
  const isCut = rows.length > MOST_PARTS || rows.some(({ path }) => path.length > DEEPEST + 1);
  const read = rows.slice(0, MOST_PARTS).filter(({ path }) => path.length <= DEEPEST + 1);
  const { roots, missing } = growTree(read, names);
  const totals = countTotals(roots);
  const costs = totals.flatMap(({ cost }) => cost ?? []);
  return {
    lines: roots.flatMap((root) => listLines(root, 0)),
    totals,
    cost: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0),
    isCut,
    hasCircle: read.some((part) => part.isCircle),
    hasUncounted: read.some((part) => !part.isCounted),
    missing,
  };
}

/** Omits a part that is not in the catalogue, with everything below it. */
function growTree(rows: readonly Part[], names: EntryNames): { roots: Node[]; missing: number } {
  const roots: Node[] = [];
  const nodes = new Map<string, Node[]>();
  let missing = 0;
  for (const part of rows) {
    const above = part.path.length === 2 ? roots : nodes.get(JSON.stringify(part.path.slice(0, -1)));
    if (above === undefined) continue;
    const name = names.get(keyOf(part));
    if (name === undefined) {
      missing++;
      continue;
    }
    const node = { part: { ...part, ...name }, parts: [] };
    nodes.set(JSON.stringify(part.path), node.parts);
    above.push(node);
  }
  return { roots, missing };
}

/** @param closes how many lists end after this part and its own */
function listLines({ part, parts }: Node, closes: number): RecipeLine[] {
  if (parts.length === 0) return [{ part, parts: 0, closes }];
  const inner = parts.flatMap((each, index) => listLines(each, index === parts.length - 1 ? closes + 1 : 0));
  return [{ part, parts: parts.length, closes: 0 }, ...inner];
}

function countTotals(roots: readonly Node[]): RecipeTotal[] {
  const counts = new Map<string, { part: NamedPart; count: number }>();
  const visit = ({ part, parts }: Node): void => {
    for (const each of parts) visit(each);
    if (parts.length > 0 || part.isCircle) return;
    const key = keyOf(part);
    counts.set(key, { part, count: (counts.get(key)?.count ?? 0) + part.count });
  };
  for (const root of roots) visit(root);
  return [...counts.values()].map(({ part, count }) => {
    const price = priceOf(part);
    return { part, count, cost: price === undefined ? undefined : price * count };
  });
}

/** Games use a price of 0 for things that cannot be bought, so that counts as unknown. */
function priceOf({ price }: NamedPart): number | undefined {
  const number = price === null ? Number.NaN : Number(price);
  return number > 0 && Number.isFinite(number) ? number : undefined;
}

/**
 * The parts of an entry on all levels, level by level. It reads one level and one part more than pages show, to detect
 * whether there are more. The limit for each part's own parts keeps Postgres on the index, whatever the planner
 * expects.
 */
export async function listParts(db: Db, { kind, id }: End): Promise<Part[]> {
  return selectRows<Part>(
    db,
    `with recursive tree (path, kind, id, count, is_counted, chance, is_circle) as (
       select array[e.kind || ':' || e.id], e.kind, e.id, cast(1 as numeric), true, cast(null as numeric), false
         from (select cast(:kind as text) collate "C" as kind, cast(:id as text) collate "C" as id) e
       union all
       select t.path || p.name, p.to_kind, p.to_id, t.count * coalesce(p.count, 1),
              t.is_counted and p.count is not null, p.chance, p.name = any(t.path)
         from tree t cross join lateral (
           select to_kind, to_id, count, chance, to_kind || ':' || to_id as name
             from relations r
            where r.from_kind = t.kind and r.from_id = t.id and r.kind = '${MADE_OF}'
            order by position, to_kind, to_id limit :most) p
        where not t.is_circle and cardinality(t.path) <= :deepest)
     select t.path, t.kind, t.id, t.count::float8 as count, t.is_counted as "isCounted",
            t.chance::float8 as chance, t.is_circle as "isCircle"
       from tree t where cardinality(t.path) > 1 limit :most`,
    { kind, id, deepest: DEEPEST + 1, most: MOST_PARTS + 1 },
  );
}
