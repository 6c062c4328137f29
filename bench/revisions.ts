/**
 * What the history of revisions costs an import: `node bench/revisions.ts [items]`, 100,000 unless told.
 *
 * Imports items all of which changed, in turn with the triggers that keep their history and without, and prints the ratio
 * of the medians of five rounds each, the first rounds against the last, and what one revision weighs. Fails where one is
 * missing.
 */
import type { Knex } from "knex";
import { migrate } from "../src/db/migrate.ts";
import { importRecords } from "../src/import/import-records.ts";
import { withThrowAwayDatabase } from "./throw-away-database.ts";

const ROUNDS = 5;

await withThrowAwayDatabase((db) => measure(db, Number(process.argv[2] ?? 100_000)));

async function measure(db: Knex, count: number): Promise<void> {
  await migrate(db);
  let version = 0;
  await importAll(db, count, version++);
  const [without, kept]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    await switchTriggers(db, "disable");
    without.push(await importAll(db, count, version++));
    await switchTriggers(db, "enable");
    kept.push(await importAll(db, count, version++));
  }
  await db.raw("vacuum analyze catalogue_revisions");
  const { rows } = await db.raw(
    "select count(*)::int as count, pg_total_relation_size('catalogue_revisions') / count(*) as bytes from catalogue_revisions",
  );
  const seconds = (times: number[]) => times.map((time) => time.toFixed(1)).join(", ");
  console.log(`${count} changed items, seconds without their history: ${seconds(without)}`);
  console.log(
    `with it: ${seconds(kept)}; ratio of the medians ${(median(kept) / median(without)).toFixed(2)}`,
  );
  console.log(`${rows[0].count} revisions kept, ${rows[0].bytes} bytes each with their index`);
  if (rows[0].count !== ROUNDS * count) process.exitCode = 1;
}

async function switchTriggers(db: Knex, to: "enable" | "disable"): Promise<void> {
  await db.raw(`alter table items ${to} trigger keep_revisions_on_update`);
}

/** Seconds to import all of them; another version has another description, price, rarity and popularity. */
async function importAll(db: Knex, count: number, version: number): Promise<number> {
  const records = Array.from({ length: count }, (_, n) => ({
    id: `/Generated/Items/Category/Thing${n}`,
    name: `Heavy Pistol ${n}`,
    names: { en: `Heavy Pistol ${n}`, ru: `Тяжёлый пистолет ${n}`, de: `Schwerer Revolver ${n}` },
    category: `Category ${n % 40}`,
    description: `The Heavy Pistol ${n}, found in **crates** and shops since version ${version} of the game.`,
    popularity: (n + version) % 1000,
    attributes: {
      tradable: n % 2 === 0,
      rarity: ["Common", "Uncommon", "Rare"][(n + version) % 3],
      price: n * 25 + version,
      weight_kg: (n % 100) / 10,
      slots: n % 7,
      colours: ["red", "blue"],
      season: "autumn",
      job: "reporter",
    },
  }));
  return (await importRecords(db, "items", records)).seconds;
}

function median(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}
