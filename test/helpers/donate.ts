import type { Knex } from "knex";

export const HOUR_MS = 3_600_000;

/** Adds an item to the shop; all but its id may be left out. */
export async function addItem(db: Knex, item: { id: string } & Record<string, unknown>): Promise<void> {
  await db("donate_items").insert({ name: `Item ${item.id}`, price: "10.00", currency: "EUR", ...item });
}

/** Adds a discount; times are hours from the database's now, and `ends` null means an open end. */
export async function addDiscount(
  db: Knex,
  {
    starts = -1,
    ends = 1,
    ...discount
  }: { id: string; item_key: string; starts?: number; ends?: number | null } & Record<string, unknown>,
): Promise<void> {
  const at = (hours: number | null) =>
    db.raw("now() + make_interval(secs => ?::double precision * 3600)", [hours]);
  await db("discounts").insert({ ...discount, starts_at: at(starts), ends_at: at(ends) });
}
