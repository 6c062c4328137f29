import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { loadDemo } from "../../src/commands/demo/load.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { removeDemo } from "../../src/records/demo-records.ts";
import { createDemoDatabase, useTestDatabase } from "../helpers/database.ts";

const database = useTestDatabase(createDemoDatabase);
const FILE = new URL("../../seeds/demo/relations.json", import.meta.url);

it("the demo's relations come and go with its other records, and the operator's own stay", async () => {
  const { db } = database;
  const count = JSON.parse(readFileSync(FILE, "utf8")).length;
  await importRecords(db, "relations", [{ from: "item:mine", kind: "made-of", to: "item:weapon-4" }]);
  const loaded = await db("relations").orderBy("id");
  expect(loaded).toHaveLength(count + 1);
  await db.transaction(async (transaction) => void (await loadDemo(transaction)));
  expect(await db("relations").orderBy("id")).toEqual(loaded);
  expect(await db.transaction(removeDemo)).toMatchObject({ relations: count });
  expect(await db("relations").pluck("from_id")).toEqual(["mine"]);
});
