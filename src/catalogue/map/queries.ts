import type { Knex } from "knex";
import type { Db } from "../../db/connect.ts";
import { HAS_POSITION, type Position, readPosition } from "../../records/position.ts";
import type { Language } from "../../words/i18n/languages.ts";
import type { MapKind } from "../../words/kinds/kinds.ts";
import { orderSql } from "../list/queries.ts";

export interface PlacedEntry {
  id: string;
  name: string;
  /** Locale to name. */
  names: Record<string, string>;
  category: string | null;
  place: Position;
  /** In the game's own money; undefined if not a number. */
  price: number | undefined;
  demo: boolean;
}

const COLUMNS = ["id", "name", "names", "category", "attributes", "demo"] as const;
const CATEGORIES_SHOWN = 200;

/** A part of the list and its order; with a language, sorted by the names shown in that language. */
export interface PlacedRange {
  sort: "name" | "popularity";
  limit: number;
  offset: number;
  language?: Language | undefined;
}

/** One page of the entries with coordinates, of one category or of all. */
export async function listPlaced(
  db: Db,
  kind: MapKind,
  category: string | undefined,
  { sort, limit, offset, language }: PlacedRange,
): Promise<PlacedEntry[]> {
  const rows = await placed(db, kind, category)
    .select<Row[]>(COLUMNS)
    .orderByRaw(...orderSql(sort, {}, language))
    .limit(limit)
    .offset(offset);
  return rows.flatMap((row) => readPlaced(row) ?? []);
}

export async function countPlaced(db: Db, kind: MapKind, category: string | undefined): Promise<number> {
  const row = await placed(db, kind, category).count<{ count: number }[]>({ count: "*" }).first();
  return row?.count ?? 0;
}

/** The first 200 categories, by name, of entries with coordinates. */
export async function listPlacedCategories(db: Db, kind: MapKind): Promise<string[]> {
  const rows = await placed(db, kind, undefined)
    .whereNotNull("category")
    .distinct<{ category: string }[]>("category")
    .orderBy("category")
    .limit(CATEGORIES_SHOWN);
  return rows.map(({ category }) => category);
}

/** One entry, if it has coordinates. */
export async function findPlaced(db: Db, kind: MapKind, id: string): Promise<PlacedEntry | undefined> {
  const row = await db<Row>(kind)
    .where({ id })
    .first(...COLUMNS);
  return row && readPlaced(row);
}

type Row = Omit<PlacedEntry, "place" | "price"> & { attributes: Record<string, unknown> };

function placed(db: Db, kind: MapKind, category: string | undefined): Knex.QueryBuilder {
  const query = db(kind).whereRaw(HAS_POSITION);
  return category === undefined ? query : query.where({ category });
}

function readPlaced({ attributes, ...row }: Row): PlacedEntry | undefined {
  const place = readPosition(attributes);
  const { price } = attributes;
  return place && { ...row, place, price: typeof price === "number" ? price : undefined };
}
