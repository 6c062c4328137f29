/**
 * Imports a million generated items with names in five languages, with and without what makes searches notice it, and
 * copies the same rows with COPY alone. Undoes the import, and one that changes all of them. Then builds their search
 * index, as a site does after an import.
 *
 * Uses DATABASE_URL (a migrated database whose items may be lost), else an embedded Postgres of its own.
 *
 * Usage:
 *   node bench/import-million.ts [count] [--id-from]
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { serialize } from "node:v8";
import type { Knex } from "knex";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { pino } from "pino";
import { COMMAND } from "../src/db/audit-queries.ts";
import { createDb } from "../src/db/connect.ts";
import { startEmbeddedPostgres } from "../src/db/embedded/start.ts";
import { migrate } from "../src/db/migrate.ts";
import { importRecords } from "../src/exchange/import/import-records.ts";
import { readRecords } from "../src/exchange/import/input/formats.ts";
import { parseIdSources, parseMappings } from "../src/exchange/import/records/mapping.ts";
import { undoImport } from "../src/exchange/imports/undo.ts";
import { IndexSource } from "../src/search/load.ts";

/** Words in English, Russian, German, French and Japanese. */
const ADJECTIVES = [
  ["Heavy", "Тяжёлый", "Schwerer", "Lourd", "ヘビー"],
  ["Silent", "Бесшумный", "Leiser", "Silencieux", "サイレント"],
  ["Golden", "Золотой", "Goldener", "Doré", "ゴールデン"],
  ["Broken", "Сломанный", "Kaputter", "Cassé", "ブロークン"],
  ["Ancient", "Древний", "Uralter", "Ancien", "エンシェント"],
  ["Frozen", "Замёрзший", "Gefrorener", "Gelé", "フローズン"],
  ["Crimson", "Багровый", "Purpurner", "Cramoisi", "クリムゾン"],
] as const;

const NOUNS = [
  ["Pistol", "Пистолет", "Revolver", "Pistolet", "ピストル"],
  ["Shield", "Щит", "Schild", "Bouclier", "シールド"],
  ["Hammer", "Молот", "Hammer", "Marteau", "ハンマー"],
  ["Engine", "Двигатель", "Motor", "Moteur", "エンジン"],
  ["Blueprint", "Чертёж", "Bauplan", "Plan", "ブループリント"],
] as const;

const count = Number(process.argv.slice(2).find((arg) => /^\d+$/.test(arg)) ?? 1_000_000);
const home = await mkdtemp(path.join(tmpdir(), "almanac-bench-"));
const external = process.env.DATABASE_URL;
const server = external
  ? { url: external, stop: async () => undefined }
  : await startEmbeddedPostgres({ directory: path.join(home, "postgres"), log: console.log });
const db = createDb({ url: server.url });
try {
  await migrate(db);
  await run(db);
} finally {
  await db.destroy();
  await server.stop();
  await rm(home, { recursive: true, force: true });
}

async function run(db: Knex): Promise<void> {
  const idle = megabytes();
  await db.raw("truncate items cascade; alter table items disable trigger user");
  const unnoticed = await importGenerated("import that searches do not notice");
  await db.raw("truncate items cascade; alter table items enable trigger user");
  const first = await importGenerated("import");
  const peak = megabytes();
  await importGenerated("the same again");
  console.log(`ratio of its undo to it: ${((await undoLast("undo of the import")) / first).toFixed(2)}`);
  const again = await importGenerated("import of what an undo removed");
  console.log(`ratio of its undo to it: ${((await undoLast("undo of that")) / again).toFixed(2)}`);
  await importGenerated("import of what an undo removed");
  const changed = await importGenerated("import that changes every record", "Changed");
  console.log(`ratio of its undo to it: ${((await undoLast("undo of the change")) / changed).toFixed(2)}`);
  const plain = await copyItems("bare COPY, no indexes", "including defaults including constraints");
  const indexed = await copyItems("bare COPY, same indexes", "including all");
  console.log(`peak memory of this process: ${peak} MB (${idle} MB before the first record)`);
  console.log(`ratio to an import that searches do not notice: ${(first / unnoticed).toFixed(2)}`);
  console.log(
    `ratio to a bare COPY: ${(first / plain).toFixed(1)}, with the same indexes: ${(first / indexed).toFixed(1)}`,
  );
  await buildIndex();
}

async function buildIndex(): Promise<void> {
  const started = performance.now();
  const source = new IndexSource({ db, databaseUrl: server.url, log: pino() });
  const { data } = await source.load("items", new AbortController().signal);
  const seconds = (performance.now() - started) / 1000;
  const bytes = serialize(data).length;
  const { rows } = await db.raw(
    "select sum((select count(*) from (select name union select value from jsonb_each_text(names)) as n))::int as names from items",
  );
  const perName = (bytes / rows[0].names).toFixed(0);
  console.log(
    `search index, in a thread: ${seconds.toFixed(1)} s, ${Math.round(bytes / 1e6)} MB, ${perName} bytes a name`,
  );
}

async function undoLast(what: string): Promise<number> {
  const started = performance.now();
  const last = await db("imports").max({ id: "id" }).first();
  await undoImport(db, last?.id, { by: COMMAND });
  const seconds = (performance.now() - started) / 1000;
  console.log(`${what}: ${seconds.toFixed(1)} s`);
  return seconds;
}

async function importGenerated(what: string, category?: string): Promise<number> {
  const { added, changed, unchanged, seconds } = await importRecords(
    db,
    "items",
    readRecords(generateNdjson()),
    {
      ...{ by: COMMAND, origin: { source: "bench" } },
      mappings: parseMappings("items", [
        ...(category === undefined ? [] : [`category==${category}`]),
        "names.ru=name_ru",
        "names.de=name_de",
        "names.fr=name_fr",
        "names.ja=name_ja",
      ]),
      idFrom: process.argv.includes("--id-from") ? parseIdSources("name") : undefined,
      keepRest: true,
    },
  );
  const rate = Math.round(count / seconds);
  console.log(
    `${what}: ${seconds.toFixed(1)} s, ${rate} records/s (added ${added}, changed ${changed}, unchanged ${unchanged})`,
  );
  return seconds;
}

/** The rows that were imported, from Postgres to Postgres through this process. */
async function copyItems(what: string, including: string): Promise<number> {
  const [source, target] = [await db.client.acquireConnection(), await db.client.acquireConnection()];
  await db.raw(`create table bench_items (like items ${including})`);
  const started = performance.now();
  await pipeline(
    source.query(copyTo("copy items to stdout")),
    target.query(copyFrom("copy bench_items from stdin")),
  );
  const seconds = (performance.now() - started) / 1000;
  await db.raw("drop table bench_items");
  for (const connection of [source, target]) await db.client.releaseConnection(connection);
  console.log(`${what}: ${seconds.toFixed(1)} s, ${Math.round(count / seconds)} records/s`);
  return seconds;
}

/** NDJSON of items as a game has them; the same in every run. */
async function* generateNdjson(): AsyncGenerator<Buffer> {
  let chunk = "";
  for (let number = 0; number < count; number++) {
    chunk += `${JSON.stringify(makeItem(number))}\n`;
    if (chunk.length < 65_536) continue;
    yield Buffer.from(chunk);
    chunk = "";
  }
  yield Buffer.from(chunk);
}

function makeItem(number: number) {
  const adjective = ADJECTIVES[number % ADJECTIVES.length] ?? ADJECTIVES[0];
  const noun = NOUNS[number % NOUNS.length] ?? NOUNS[0];
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

function megabytes(): number {
  return Math.round(process.resourceUsage().maxRSS / 1024);
}
