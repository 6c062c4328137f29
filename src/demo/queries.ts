import type { Db } from "../db/connect.ts";
import { selectRow } from "../db/rows.ts";
import { CATALOGUE_KINDS } from "../kinds/kinds.ts";

/** Tables whose rows may be invented demo records, children before their parents. */
const DEMO_TABLES = ["discounts", "donate_items", "servers", ...CATALOGUE_KINDS] as const;

/** True while any invented demo record is on the site. */
export async function hasDemoData(db: Db): Promise<boolean> {
  return existsIn(db, "demo");
}

/** True when the site holds any record that is not a demo record. */
export async function hasRealRecords(db: Db): Promise<boolean> {
  return existsIn(db, "not demo");
}

/** True when demo data was loaded (or removed) once: it never comes back by itself. */
export async function wasDemoHandled(db: Db): Promise<boolean> {
  return (await db("settings").where({ key: "demo" }).first()) !== undefined;
}

/** Remembers what happened to the demo data last. */
export async function rememberDemo(db: Db, state: "loaded" | "removed"): Promise<void> {
  const value = JSON.stringify({ state });
  await db("settings").insert({ key: "demo", value, updated_at: db.fn.now() }).onConflict("key").merge();
}

/** Deletes every demo record; resolves to the number of rows by table. */
export async function removeDemoRecords(db: Db): Promise<Record<string, number>> {
  const removed: Record<string, number> = {};
  for (const table of DEMO_TABLES) removed[table] = await db(table).where({ demo: true }).delete();
  return removed;
}

async function existsIn(db: Db, condition: "demo" | "not demo"): Promise<boolean> {
  const checks = DEMO_TABLES.map((table) => `exists (select 1 from ${table} where ${condition})`);
  const row = await selectRow<{ found: boolean }>(db, `select ${checks.join(" or ")} as found`);
  return row.found;
}
