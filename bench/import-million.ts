/**
 * Imports a million generated items with names in five languages, with and without what makes searches notice it, and
 * copies the same rows with COPY alone. Undoes the import, and one that changes all of them. Then builds their search
 * index, as a site does after an import.
 *
 * Usage:
 *   node bench/import-million.ts [count]
 */
import { pipeline } from "node:stream/promises";
import { serialize } from "node:v8";
import type { Knex } from "knex";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { pino } from "pino";
import { COMMAND } from "../src/db/audit-queries.ts";
import { importRecords } from "../src/exchange/import/import-records.ts";
import { readRecords } from "../src/exchange/import/input/formats.ts";
import { parseMappings } from "../src/exchange/import/records/mapping.ts";
import { undoImport } from "../src/exchange/imports/undo.ts";
import { IndexSource } from "../src/search/load.ts";
import { withDatabase } from "./site.ts";

/** Words in English, Russian, German, French and Japanese. */
const ADJECTIVES = words(`Heavy Тяжёлый Schwerer Lourd ヘビー, Silent Бесшумный Leiser Silencieux サイレント,
  Golden Золотой Goldener Doré ゴールデン, Broken Сломанный Kaputter Cassé ブロークン,
  Ancient Древний Uralter Ancien エンシェント, Frozen Замёрзший Gefrorener Gelé フローズン,
  Crimson Багровый Purpurner Cramoisi クリムゾン`);
const NOUNS = words(`Pistol Пистолет Revolver Pistolet ピストル, Shield Щит Schild Bouclier シールド,
  Hammer Молот Hammer Marteau ハンマー, Engine Двигатель Motor Moteur エンジン,
  Blueprint Чертёж Bauplan Plan ブループリント`);

const count = Number(process.argv[2] ?? 1_000_000);

await withDatabase(async (db, url) => {
  await run(db);
  await buildIndex(db, url);
});

async function run(db: Knex): Promise<void> {
  const idle = megabytes();
  await db.raw("truncate items cascade; alter table items disable trigger user");
  const unnoticed = await importGenerated(db, "import that searches do not notice");
  await db.raw("truncate items cascade; alter table items enable trigger user");
  const first = await importGenerated(db, "import");
  const peak = megabytes();
  await importGenerated(db, "the same again");
  await undoLast(db, "undo of the import", first);
  await undoLast(db, "undo of that", await importGenerated(db, "import of what an undo removed"));
  await importGenerated(db, "import of what an undo removed");
  const changed = await importGenerated(db, "import that changes every record", "Changed");
  await undoLast(db, "undo of the change", changed);
  const plain = await copyItems(db, "bare COPY, no indexes", "including defaults including constraints");
  const indexed = await copyItems(db, "bare COPY, same indexes", "including all");
  console.log(`peak memory of this process: ${peak} MB (${idle} MB before the first record)`);
  console.log(`ratio to an import that searches do not notice: ${(first / unnoticed).toFixed(2)}`);
  const ratios = [plain, indexed].map((seconds) => (first / seconds).toFixed(1));
  console.log(`ratio to a bare COPY: ${ratios[0]}, with the same indexes: ${ratios[1]}`);
}

async function buildIndex(db: Knex, databaseUrl: string): Promise<void> {
  const started = performance.now();
  const source = new IndexSource({ db, databaseUrl, log: pino() });
  const { data } = await source.load("items", new AbortController().signal);
  const seconds = secondsSince(started);
  const bytes = serialize(data).length;
  const { rows } = await db.raw(
    "select sum((select count(*) from (select name union select value from jsonb_each_text(names)) as n))::int as names from items",
  );
  const sizes = `${Math.round(bytes / 1e6)} MB, ${(bytes / rows[0].names).toFixed(0)} bytes a name`;
  console.log(`search index, in a thread: ${seconds.toFixed(1)} s, ${sizes}`);
}

async function undoLast(db: Knex, what: string, importSeconds: number): Promise<void> {
  const started = performance.now();
  const last = await db("imports").max({ id: "id" }).first();
  await undoImport(db, last?.id, { by: COMMAND });
  const seconds = secondsSince(started);
  console.log(`${what}: ${seconds.toFixed(1)} s, ${(seconds / importSeconds).toFixed(2)} of its import`);
}

async function importGenerated(db: Knex, what: string, category?: string): Promise<number> {
  const mappings = "names.ru=name_ru names.de=name_de names.fr=name_fr names.ja=name_ja".split(" ");
  if (category !== undefined) mappings.push(`category==${category}`);
  const options = {
    ...{ by: COMMAND, origin: { source: "bench" }, keepRest: true },
    mappings: parseMappings("items", mappings),
  };
  const records = readRecords(generateNdjson());
  const { added, changed, unchanged, seconds } = await importRecords(db, "items", records, options);
  const told = `added ${added}, changed ${changed}, unchanged ${unchanged}`;
  console.log(`${what}: ${seconds.toFixed(1)} s, ${Math.round(count / seconds)} records/s (${told})`);
  return seconds;
}

/** The rows that were imported, from Postgres to Postgres through this process. */
async function copyItems(db: Knex, what: string, including: string): Promise<number> {
  const [source, target] = [await db.client.acquireConnection(), await db.client.acquireConnection()];
  await db.raw(`create table bench_items (like items ${including})`);
  const started = performance.now();
  await pipeline(
    source.query(copyTo("copy items to stdout")),
    target.query(copyFrom("copy bench_items from stdin")),
  );
  const seconds = secondsSince(started);
  await db.raw("drop table bench_items");
  for (const connection of [source, target]) await db.client.releaseConnection(connection);
  console.log(`${what}: ${seconds.toFixed(1)} s, ${Math.round(count / seconds)} records/s`);
  return seconds;
}

/** NDJSON of items as a game has them; the same in every run. */
async function* generateNdjson(): AsyncGenerator<Buffer> {
  const step = 200;
  for (let from = 0; from < count; from += step) {
    const items = Array.from({ length: Math.min(step, count - from) }, (_, n) => makeItem(from + n));
    yield Buffer.from(items.map((item) => `${JSON.stringify(item)}\n`).join(""));
  }
}

function makeItem(number: number) {
  const adjective = ADJECTIVES[number % ADJECTIVES.length] ?? [];
  const noun = NOUNS[number % NOUNS.length] ?? [];
  const name = (language: number) => `${adjective[language]} ${noun[language]} ${number}`;
  return {
    id: `/Generated/Items/${noun[0]}/${adjective[0]}${number}`,
    name: name(0),
    name_ru: name(1),
    name_de: name(2),
    name_fr: name(3),
    name_ja: number % 3 === 0 ? "" : name(4),
    category: noun[0],
    description: `The ${name(0)}, found in **crates** and shops.`,
    popularity: number % 1000,
    tradable: number % 2 === 0,
    rarity: ["Common", "Uncommon", "Rare"][number % 3],
    buildPrice: number * 25,
  };
}

function words(list: string): string[][] {
  return list.split(",").map((each) => each.trim().split(" "));
}

function secondsSince(started: number): number {
  return (performance.now() - started) / 1000;
}

function megabytes(): number {
  return Math.round(process.resourceUsage().maxRSS / 1024);
}
