import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import { selectRow } from "../db/rows.ts";
import { storedKinds } from "../words/kinds/kinds.ts";

/** Key of an advisory lock of its own. */
const LOCK = 7_301_942;

interface DemoState {
  readonly state: "loaded" | "removed";
  /** A hash of the files that it was loaded from, or brought up to date by. */
  readonly files?: string;
}

/**
 * The state of the demo data, which is loaded automatically only once; undefined if it was never loaded or removed.
 */
export async function readDemoState(db: Db): Promise<DemoState | undefined> {
  const row = await db<{ key: string; value: DemoState }>("settings").where({ key: "demo" }).first("value");
  return row?.value;
}

/** Lets one transaction at a time load, renew or remove the demo. */
export async function lockDemo(transaction: Db): Promise<void> {
  await transaction.raw("select pg_advisory_xact_lock(?)", [LOCK]);
}

export async function rememberDemo(db: Db, state: DemoState): Promise<void> {
  const value = JSON.stringify(state);
  await db("settings").insert({ key: "demo", value, updated_at: db.fn.now() }).onConflict("key").merge();
}

/** Removes every demo record, with its favorites and history; returns the number of rows by table. Accounts stay. */
export async function removeDemo(transaction: Knex.Transaction): Promise<Record<string, number>> {
  await lockDemo(transaction);
  const removed: Record<string, number> = {};
  for (const table of demoTables()) removed[table] = await transaction(table).where({ demo: true }).delete();
  await rememberDemo(transaction, { state: "removed" });
  return removed;
}

/** Tables that may hold demo records, children before their parents. */
function demoTables(): string[] {
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
