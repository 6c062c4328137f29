/**
 * What the history of prices costs an import of 20,000 discounts: `node bench/price-history.ts [discounts]`.
 *
 * Adds all of them and then changes all of them, in turn with the triggers that keep the versions and without, and
 * prints the ratio of the best of three rounds each. Fails where a version is missing.
 */
import type { Knex } from "knex";
import { migrate } from "../src/db/migrate.ts";
import { importRecords } from "../src/import/import-records.ts";
import { withThrowAwayDatabase } from "./throw-away-database.ts";

const ITEMS = 100;
const ROUNDS = 3;

await withThrowAwayDatabase((db) => measure(db, Number(process.argv[2] ?? 20_000)));

async function measure(db: Knex, count: number): Promise<void> {
  await migrate(db);
  const items = Array.from({ length: ITEMS }, (_, n) => ({
    id: `i${n}`,
    name: `Item ${n}`,
    price: "10",
    currency: "EUR",
  }));
  await importRecords(db, "donate-items", items);
  const [without, kept]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    without.push(await importTwice(db, count, "disable"));
    kept.push(await importTwice(db, count, "enable"));
  }
  const versions = Number((await db("discount_versions").count().first())?.count);
  const [best, bare] = [Math.min(...kept), Math.min(...without)];
  console.log(`${count} discounts added and changed: ${best.toFixed(2)} s with their history,`);
  console.log(
    `${bare.toFixed(2)} s without it: ${(best / bare).toFixed(2)} times as long; ${versions} versions kept`,
  );
  if (versions !== 2 * count) process.exitCode = 1;
}

/** Seconds to add all of them and to change all of them. */
async function importTwice(db: Knex, count: number, triggers: "enable" | "disable"): Promise<number> {
  for (const event of ["insert", "update", "delete"]) {
    await db.raw(`alter table discounts ${triggers} trigger keep_versions_on_${event}`);
  }
  await db.raw("truncate discounts, discount_versions cascade");
  return (await importAll(db, count, 10)) + (await importAll(db, count, 20));
}

async function importAll(db: Knex, count: number, percent: number): Promise<number> {
  const records = Array.from({ length: count }, (_, n) => ({
    id: n,
    item_key: `i${n % ITEMS}`,
    percent,
    starts_at: "2026-01-01",
    ends_at: "2099-01-01",
  }));
  return (await importRecords(db, "discounts", records)).seconds;
}
