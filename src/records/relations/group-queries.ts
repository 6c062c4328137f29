import type { Db } from "../../db/connect.ts";
import { selectRows } from "../../db/rows.ts";
import { entityKinds, kindBySingular } from "../../words/kinds/kinds.ts";
import type { Vocabulary } from "../../words/vocabulary/vocabulary.ts";
import type { Pictured } from "../picture.ts";
import type { Direction } from "./kinds.ts";
import { ENDS, type End, type OtherEnd } from "./queries.ts";

/** What an entry is called, and the game's own price of one as it is written, if it has one. */
export interface EntryName extends Pictured {
  readonly name: string;
  /** Locale to name. */
  readonly names: Record<string, string>;
  readonly category: string | null;
  readonly price: string | null;
  /** The value that colours its name. */
  readonly tinted: unknown;
}

/** The names of entries, by `keyOf`. */
export type EntryNames = ReadonlyMap<string, EntryName>;

export function keyOf({ kind, id }: End): string {
  return `${kind}:${id}`;
}

/**
 * The first of each group of an entry's relations, `limit` at most, whether their other ends exist or not. The kinds of
 * its relations come from the index one by one, so that many of one kind cost no more than a few.
 */
export async function listFirstOfGroups(db: Db, { kind, id }: End, limit: number): Promise<OtherEnd[]> {
  const after = (direction: Direction) => nextKindSql(direction, "and r.kind > g.relation");
  return selectRows<OtherEnd>(
    db,
    `with recursive groups (direction, relation) as (
       (select 'from', ${nextKindSql("from", "")} union all select 'to', ${nextKindSql("to", "")})
       union all
       select g.direction, case g.direction when 'from' then ${after("from")} else ${after("to")} end
         from groups g where g.relation is not null)
     select g.direction, g.relation, n.*
       from groups g cross join lateral (${firstsSql("from")} union all ${firstsSql("to")}) n
      where g.relation is not null`,
    { kind, id, limit },
  );
}

/** The names of those entries that exist: one statement for each of their kinds. */
export async function nameEntries(db: Db, ends: readonly End[], words: Vocabulary): Promise<EntryNames> {
  // Relations of a kind that was removed are kept, but link nowhere.
  const known = entityKinds();
  const byKind = Map.groupBy(
    ends.filter(({ kind }) => known.includes(kind)),
    ({ kind }) => kind,
  );
  const found = await Promise.all(
    [...byKind].map(async ([kind, members]) => {
      const ids = [...new Set(members.map(({ id }) => id))];
      const rows = await selectRows<EntryName & { id: string }>(
        db,
        `select id, name, names, category, picture, image, attributes -> :tint as tinted,
                case jsonb_typeof(attributes -> 'price') when 'number' then attributes ->> 'price' end as price
           from ${kindBySingular(kind)} where id = any(:ids)`,
        { ids, tint: words.of(kindBySingular(kind)).tint ?? "" },
      );
      return rows.map((row): [string, EntryName] => [keyOf({ kind, id: row.id }), row]);
    }),
  );
  return new Map(found.flat());
}

/** SQL: the first kind of relations of an entry after another one, straight from the index. */
function nextKindSql(direction: Direction, after: string): string {
  return `(select min(kind) from all_relations r
            where r.${direction}_kind = :kind and r.${direction}_id = :id ${after})`;
}

/** SQL: the first relations of a group (`g`), in the order of the index. */
function firstsSql(direction: Direction): string {
  const { here, there, order } = ENDS[direction];
  return `
    (select r.${there}_kind as kind, r.${there}_id as id, r.count::float8 as count, r.chance::float8 as chance
       from all_relations r
      where g.direction = '${direction}' and r.${here}_kind = :kind and r.${here}_id = :id and r.kind = g.relation
      order by ${order} limit :limit)`;
}
