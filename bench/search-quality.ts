/**
 * Measures how well the search finds what was meant, beside MiniSearch, Orama, ILIKE and pg_trgm in the same run.
 *
 * Works on any imported catalogue: the database at DATABASE_URL, else the embedded one in DATA_DIR. It changes
 * nothing there, but creates the extension pg_trgm if it is missing. It makes the queries from the catalogue's own
 * names, the same ones for the same seed. It sends them over HTTP to a site that it starts itself, unless --url names
 * one over that database. --alone leaves the other engines out; --misses prints failed queries; --strict exits with 1
 * if a figure is below its target, or below another engine's.
 *
 * Usage:
 *   node bench/search-quality.ts [--kind items] [--seed 1] [--seeds 3] [--per-class 300]
 *     [--languages en,ru] [--only prefix --only typo] [--queries FILE] [--alone] [--misses 10] [--url http://…] [--json] [--strict]
 */

import { openDatabase } from "../src/db/open.ts";
import { loadConfig } from "../src/settings/config.ts";
import { type Call, parseCall } from "./search-quality/arguments.ts";
import { Catalogue, type CatalogueRecord, readCatalogue } from "./search-quality/catalogue.ts";
import { QUERY_CLASSES } from "./search-quality/classes/all.ts";
import { createAlmanac } from "./search-quality/engines/almanac.ts";
import type { Engine } from "./search-quality/engines/engine.ts";
import { createMiniSearches } from "./search-quality/engines/minisearch.ts";
import { createOramas } from "./search-quality/engines/orama.ts";
import { createPostgresSearches } from "./search-quality/engines/postgres.ts";
import { measure } from "./search-quality/measure.ts";
import { makeQueries, type QueryClass } from "./search-quality/query-class.ts";
import {
  type ClassReport,
  describeMetrics,
  describeMisses,
  describeTargets,
  describeTimes,
  isFailing,
  meanReport,
  toPlain,
} from "./search-quality/report.ts";
import { attainableHits, mean } from "./search-quality/score.ts";
import { startSite } from "./search-quality/site.ts";
import { readTyped } from "./search-quality/typed.ts";

const call = readCall();
const config = loadConfig(process.env);
const database = await openDatabase(config, {
  log: console.error,
  migrate: config.migrateOnStart,
  create: true,
});
try {
  const records = await readCatalogue(database.db, call.kind);
  const site = call.url ? undefined : await startSite(database.url, call.kind);
  try {
    await compare(records, call.url ?? site?.origin ?? "", database.url);
  } finally {
    await site?.stop();
  }
} finally {
  await database.close();
}

/** A wrong call ends with exit code 2 and one line, as the site's own commands do. */
function readCall(): Call {
  try {
    return parseCall(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}

async function compare(records: CatalogueRecord[], origin: string, databaseUrl: string): Promise<void> {
  const catalogue = new Catalogue(records);
  console.error(`${records.length} ${call.kind}, ${catalogue.names.length} different names`);
  const peers = call.alone ? undefined : await createPeers(records, databaseUrl);
  try {
    const engines = [await createAlmanac(origin, call.kind), ...(peers?.engines ?? [])];
    const runs: ClassReport[][] = [];
    for (const seed of call.seeds) runs.push(await runSeed(seed, catalogue, engines));
    report(runs);
  } finally {
    await peers?.close();
  }
}

async function createPeers(records: CatalogueRecord[], databaseUrl: string) {
  const { engines, close } = await createPostgresSearches(databaseUrl, records);
  return { engines: [...createMiniSearches(records), ...(await createOramas(records)), ...engines], close };
}

async function runSeed(seed: number, catalogue: Catalogue, engines: Engine[]): Promise<ClassReport[]> {
  const reports: ClassReport[] = [];
  const { perClass: count, languages } = call;
  const typed = call.queries && (await readTyped(call.queries, catalogue));
  const classes = typed ? [typed.queryClass] : QUERY_CLASSES.filter(isWanted(call));
  for (const queryClass of classes) {
    const queries = typed ? typed.queries : makeQueries(queryClass, catalogue, { seed, count, languages });
    const results: ClassReport["results"] = [];
    for (const engine of engines) {
      results.push({ engine: engine.name, result: await measure(engine, queryClass, queries) });
    }
    console.error(`seed ${seed}: ${queryClass.name}, ${queries.length} queries`);
    const attainable = mean(queries.map(attainableHits));
    reports.push({ queryClass, queries: queries.length, attainable, results });
  }
  return reports;
}

function isWanted({ only }: Call): (queryClass: QueryClass) => boolean {
  return ({ name }) => only?.some((beginning) => name.startsWith(beginning)) ?? true;
}

function report(runs: ClassReport[][]): void {
  const overall = meanReport(runs);
  if (call.json) {
    const plain = { kind: call.kind, seeds: call.seeds, runs: runs.map(toPlain), mean: toPlain(overall) };
    console.log(JSON.stringify(plain));
  } else {
    for (const [place, each] of runs.entries()) print(`Seed ${call.seeds[place]}`, describeTargets(each));
    if (runs.length > 1) print("Mean of the seeds", describeTargets(overall));
    print("Almanac, every metric", describeMetrics(overall));
    print("Median time, ms", describeTimes(overall));
    for (const each of runs) print("", describeMisses(each, call.misses));
  }
  if (call.strict && isFailing(overall)) process.exitCode = 1;
}

function print(title: string, lines: string[]): void {
  if (title !== "") console.log(`\n${title}\n`);
  for (const line of lines) console.log(line);
}
