import type { Db } from "../db/connect.ts";
import { selectRow } from "../db/rows.ts";
import { catalogueKinds } from "../kinds/kinds.ts";

/** Tables that may hold demo records, children before their parents. */
function demoTables(): string[] {
  return ["relations", "discounts", "donate_items", "servers", ...catalogueKinds()];
}

/** Whether the site has any demo record. */
export async function hasDemoData(db: Db): Promise<boolean> {
  return existsIn(db, "demo");
}

/** Whether the site has any other record. */
export async function hasRealRecords(db: Db): Promise<boolean> {
  return existsIn(db, "not demo");
}

/** Whether demo data was ever loaded or removed: it is not loaded again by itself. */
export async function wasDemoHandled(db: Db): Promise<boolean> {
  return (await db("settings").where({ key: "demo" }).first()) !== undefined;
}

export async function rememberDemo(db: Db, state: "loaded" | "removed"): Promise<void> {
  const value = JSON.stringify({ state });
  await db("settings").insert({ key: "demo", value, updated_at: db.fn.now() }).onConflict("key").merge();
}

/** Deletes every demo record; returns the number of rows by table. */
export async function removeDemoRecords(db: Db): Promise<Record<string, number>> {
  const removed: Record<string, number> = {};
  for (const table of demoTables()) removed[table] = await db(table).where({ demo: true }).delete();
  return removed;
}

async function existsIn(db: Db, condition: "demo" | "not demo"): Promise<boolean> {
  const checks = demoTables().map((table) => `exists (select 1 from ${table} where ${condition})`);
  const row = await selectRow<{ found: boolean }>(db, `select ${checks.join(" or ")} as found`);
  return row.found;
}
