import type { Db } from "../../db/connect.ts";
import { selectRows } from "../../db/rows.ts";
import type { EntityKind } from "../../words/kinds/kinds.ts";
import { MADE_OF } from "./kinds.ts";
import type { End } from "./queries.ts";

/** How far down and how long a recipe is read. */
export const DEEPEST = 8;
export const MOST_PARTS = 200;

/** A part of an entry, or a part of a part. */
export interface Part {
  /** The parts that lead to this one, each by its kind and id, the entry itself first and this one last. */
  readonly path: string[];
  readonly kind: EntityKind;
  readonly id: string;
  /** How many go into the entry, one for each relation that does not say how many. */
  readonly count: number;
  /** True if every relation on the path has a count. */
  readonly isCounted: boolean;
  /** The chance of the last relation, a share of 1. */
  readonly chance: number | null;
  /** It is among its own parts' parts: its own are not read again. */
  readonly isCircle: boolean;
}

/**
 * The parts of an entry to the bottom, level by level. It reads one level and one part more than pages show, to know
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
