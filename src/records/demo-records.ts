import type { Db } from "../db/connect.ts";
import { selectRow } from "../db/rows.ts";
import { storedKinds } from "../words/kinds/kinds.ts";

/** Tables that may hold demo records, children before their parents. */
export function demoTables(): string[] {
  return ["relations", "discounts", "donate_items", "servers", ...storedKinds()];
}

/** Whether the site has any demo record, which makes it the demo. */
export async function hasDemoRecords(db: Db): Promise<boolean> {
  return existsIn(db, "demo");
}

/** True if the site has any other record. */
export async function hasRealRecords(db: Db): Promise<boolean> {
  return existsIn(db, "not demo");
}

async function existsIn(db: Db, condition: "demo" | "not demo"): Promise<boolean> {
  const checks = demoTables().map((table) => `exists (select 1 from ${table} where ${condition})`);
  const row = await selectRow<{ found: boolean }>(db, `select ${checks.join(" or ")} as found`);
  return row.found;
}
