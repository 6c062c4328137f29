import type { Knex } from "knex";
import type { Db } from "../../db/connect.ts";
import { selectRow, selectRows } from "../../db/rows.ts";
import {
  catalogueKinds,
  type EntityKind,
  entityKinds,
  kindBySingular,
  singularOf,
} from "../../words/kinds/kinds.ts";
import type { Vocabulary } from "../../words/vocabulary/vocabulary.ts";
import type { Pictured } from "../picture.ts";
import type { Direction } from "./kinds.ts";

/** An entry's name, and the game's own price of one as written, if it has one. */
export interface EntryName extends Pictured {
  readonly name: string;
  /** Names by locale. */
  readonly names: Record<string, string>;
  readonly category: string | null;
  readonly price: string | null;
  /** The value that colours its name. */
  readonly tinted: unknown;
}

/** The names of entries, by `keyOf`. */
export type EntryNames = ReadonlyMap<string, EntryName>;

/** An entry in a relation. */
export interface End {
  readonly kind: EntityKind;
  readonly id: string;
}

/** One group of an entry's relations, of one kind and with the entry at the same end. */
export interface Group {
  readonly relation: string;
  readonly direction: Direction;
}

/** The other end of a relation of an entry, which need not be in the catalogue. */
export interface OtherEnd extends Group, End {
  readonly count: number | null;
  /** A share of 1. */
  readonly chance: number | null;
}

/** Another entry at the other end of a relation. */
export interface Neighbour extends OtherEnd, Pictured {
  readonly name: string;
  /** Names by locale. */
  readonly names: Record<string, string>;
  readonly category: string | null;
  /** The value that colours its name. */
  readonly tinted: unknown;
}

/** The two ends of relations: the columns of each end and of the other, and their order. */
const ENDS = {
  from: { here: "from", there: "to", order: "r.position, r.to_kind, r.to_id" },
  to: { here: "to", there: "from", order: "r.from_kind, r.from_id" },
} as const;

/** SQL: the existing entries at the other end of relations of an entry (`:kind`, `:id`), in the order of the page. */
function neighboursSql(direction: Direction, condition: string, range: string): string {
  const { here, there, order } = ENDS[direction];
  return `
    select r.kind as relation, '${direction}' as direction, r.${there}_kind as kind, r.${there}_id as id,
           r.count::float8 as count, r.chance::float8 as chance, e.name, e.names, e.category, e.picture, e.image, e.tinted,
           row_number() over (order by r.kind, ${order}) as place
      from all_relations r cross join lateral ${entryAt(there)} e
     where r.${here}_kind = :kind and r.${here}_id = :id and ${condition}
     order by r.kind, ${order} ${range}`;
}

/** True if this entry exists. */
export async function hasEntry(db: Db, { kind, id }: End): Promise<boolean> {
  return (await db(kindBySingular(kind)).select("id").where({ id }).first()) !== undefined;
}

/** Which relations to read; `words` decide what colours names. */
interface ListedPart {
  readonly group?: Group | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly words?: Vocabulary;
}

/** Some or all relations of an entry, those from it before those to it. */
export async function listRelations(
  db: Db,
  { kind, id }: End,
  { group, limit, offset, words }: ListedPart,
): Promise<Neighbour[]> {
  const condition = group ? "r.kind = :relation" : "true";
  const directions = group ? [group.direction] : (["from", "to"] as const);
  const parts = directions.map((each) => `(${neighboursSql(each, condition, "limit :upTo")})`);
  return selectRows<Neighbour>(
    db,
    `select * from (${parts.join(" union all ")}) n order by n.direction, n.place limit :limit offset :offset`,
    {
      kind,
      id,
      relation: group?.relation ?? "",
      limit,
      offset,
      upTo: limit + offset,
      ...tintBindings(words),
    },
  );
}

/** How many relations of a group have an existing other end, up to `most`. */
export async function countRelations(db: Db, { kind, id }: End, group: Group, most: number): Promise<number> {
  const { count } = await selectRow<{ count: number }>(
    db,
    `select count(*)::int as count
       from (${neighboursSql(group.direction, "r.kind = :relation", "limit :most")}) n`,
    { kind, id, relation: group.relation, most, ...tintBindings(undefined) },
  );
  return count;
}

/** A row of `neighboursTable`. */
export interface ListedNeighbour extends OtherEnd, Pick<Neighbour, "name" | "names" | "category"> {
  /** Its position in its group, in the order of the page. */
  readonly place: number;
}

/** All relations of an entry, or those of a kind or a direction, as a table `neighbour` to select from. */
export function neighboursTable(
  db: Db,
  { kind, id }: End,
  { relation, direction }: Partial<Group>,
): Knex.Raw {
  const directions = direction === undefined ? (["from", "to"] as const) : [direction];
  const parts = directions.map((each) => {
    const { here, there } = ENDS[each];
    return `(select '${each}' collate "C" as direction, r.kind as relation, ${each === "from" ? "r.position" : "1"} as place,
                    r.${there}_kind as kind, r.${there}_id as id, r.count::float8 as count, r.chance::float8 as chance,
                    e.name, e.names, e.category
               from all_relations r cross join lateral ${entryAt(there)} e
              where r.${here}_kind = :kind and r.${here}_id = :id
                    ${relation === undefined ? "" : "and r.kind = :relation"})`;
  });
  const bindings = { kind, id, relation: relation ?? "", ...tintBindings(undefined) };
  return db.raw(`(${parts.join(" union all ")}) as neighbour`, bindings);
}

/**
 * SQL: a subquery with the entry at one end of a row `r`, from the table of its kind; empty if it does not exist. In a
 * lateral join, Postgres runs only the part of that kind. It needs the bindings of `tintBindings`.
 */
export function entryAt(end: Direction): string {
  const parts = catalogueKinds().map(
    (table) =>
      `select name, names, category, picture, image, attributes -> :tint_${table} as tinted from ${table} where r.${end}_kind = '${singularOf(table)}' and id = r.${end}_id`,
  );
  return `(${parts.join(" union all ")})`;
}

/**
 * For statements over several kinds: the attribute that colours the names of each, as `:tint_items`; blank for none.
 */
export function tintBindings(words: Vocabulary | undefined): Record<string, string> {
  return Object.fromEntries(catalogueKinds().map((kind) => [`tint_${kind}`, words?.of(kind).tint ?? ""]));
}

export function keyOf({ kind, id }: End): string {
  return `${kind}:${id}`;
}

/**
 * The first relations of each group of an entry, up to `limit`, even if their other ends do not exist. The kinds of its
 * relations come from the index one by one, so that many of one kind cost no more than a few.
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

/** The names of the existing ones among these entries: one statement for each of their kinds. */
export async function nameEntries(db: Db, ends: readonly End[], words: Vocabulary): Promise<EntryNames> {
  // Relations of a removed kind are kept, but link nowhere.
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
