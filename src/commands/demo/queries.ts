import type { Db } from "../../db/connect.ts";
import { demoTables } from "../../records/demo-records.ts";

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

/**
 * Gives demo records of a kind their pictures, by id, but for those whose picture an operator chose. It is no change of
 * what they say, so they keep their revision.
 */
export async function writePictures(
  db: Db,
  kind: string,
  pictures: ReadonlyMap<string, string>,
): Promise<void> {
  const table = kind.replaceAll("-", "_");
  await db.raw(
    `update ${table} t set picture = s.picture
       from unnest(cast(:ids as text[]), cast(:pictures as text[])) s (id, picture)
      where t.id = s.id and t.demo and t.picture is distinct from s.picture
        and not exists (select from picture_uploads u
                         where u.kind = :table and u.id = t.id and u.picture is not distinct from t.picture)`,
    { table, ids: [...pictures.keys()], pictures: [...pictures.values()] },
  );
}

export async function rememberDemo(db: Db, state: DemoState): Promise<void> {
  const value = JSON.stringify(state);
  await db("settings").insert({ key: "demo", value, updated_at: db.fn.now() }).onConflict("key").merge();
}

/** Deletes every demo record; returns the number of rows by table. */
export async function removeDemoRecords(db: Db): Promise<Record<string, number>> {
  const removed: Record<string, number> = {};
  for (const table of demoTables()) removed[table] = await db(table).where({ demo: true }).delete();
  return removed;
}
