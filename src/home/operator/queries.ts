import type { Db } from "../../db/connect.ts";
import { selectRow } from "../../db/rows.ts";
import { kindsWith } from "../../words/kinds/kinds.ts";

/** True if the site has houses or other records for a map, except the demo's. */
export async function hasPlaces(db: Db): Promise<boolean> {
  const checks = kindsWith("isPlaced").map((kind) => `exists (select from ${kind} where not demo)`);
  const { found } = await selectRow<{ found: boolean }>(
    db,
    `select ${["false", ...checks].join(" or ")} as found`,
  );
  return found;
}

/** The names of sources that were paused because of what they served. */
export async function listStoppedSources(db: Db): Promise<string[]> {
  return db("import_sources").whereIn("paused", ["failures", "gone"]).orderBy("name").pluck("name");
}

/** Whether an operator has marked a step as done that the site cannot detect. */
export async function isStepMarked(db: Db, step: string): Promise<boolean> {
  return (
    (await db("settings")
      .where({ key: toldKey(step) })
      .first("key")) !== undefined
  );
}

/** Marks a step as done; repeating it changes nothing. */
export async function markStepDone(db: Db, step: string): Promise<void> {
  await db("settings")
    .insert({ key: toldKey(step), value: JSON.stringify(true) })
    .onConflict("key")
    .ignore();
}

function toldKey(step: string): string {
  return `step ${step}`;
}
