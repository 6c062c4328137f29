import type { Knex } from "knex";
import type { BuiltInKind } from "../../src/words/kinds/kinds.ts";

/** Rows of the things that can be favorites, with as little as the tables ask for. */

type Columns = Record<string, unknown>;

export async function addServer(db: Knex, id: string, columns: Columns = {}): Promise<void> {
  await db("servers").insert({ id, name: `Server ${id}`, ...columns });
}

export async function addEntity(
  db: Knex,
  table: BuiltInKind,
  id: string,
  columns: Columns = {},
): Promise<void> {
  await db(table).insert({ id, name: `Entity ${id}`, ...columns });
}

export async function addDonateItem(db: Knex, id: string, columns: Columns = {}): Promise<void> {
  await db("donate_items").insert({ id, name: `Shop ${id}`, price: "100.00", currency: "EUR", ...columns });
}

/** A discount of `itemKey` that by default began an hour ago and has no end. */
export async function addDiscount(
  db: Knex,
  id: string,
  itemKey: string,
  columns: Columns = {},
): Promise<void> {
  const terms = "price" in columns ? {} : { percent: "25" };
  await db("discounts").insert({ id, item_key: itemKey, starts_at: hours(db, -1), ...terms, ...columns });
}

/** That many hours from now, by the database's clock. */
export function hours(db: Knex, count: number) {
  return db.raw("now() + make_interval(hours => ?)", [count]);
}
