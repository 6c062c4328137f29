/**
 * Measures how well the search finds what was meant, beside MiniSearch in the same run.
 *
 * Works on any imported catalogue: the database at DATABASE_URL, else the embedded one in DATA_DIR. It builds the index
 * in this process, and makes the queries from the catalogue's own names, the same ones for the same seed. `--queries`
 * asks those of a file instead, a JSON list of `{ "typed": …, "meant": a name }`. `--alone` leaves MiniSearch out,
 * `--misses` prints failed queries, `--strict` exits with 1 if a figure is below its target or MiniSearch's.
 *
 * Usage:
 *   node bench/search-quality.ts [--kind items] [--seed 1] [--seeds 3] [--per-class 300] [--languages en,ru]
 *     [--only prefix --only typo] [--queries FILE] [--alone] [--misses 10] [--strict]
 */
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { pino } from "pino";
import { z } from "zod";
import { openDatabase } from "../src/db/open.ts";
import { SearchIndex } from "../src/search/index/search-index.ts";
import { IndexSource } from "../src/search/load.ts";
import { loadConfig } from "../src/settings/config.ts";
import type { CatalogueKind } from "../src/words/kinds/kinds.ts";
import { Catalogue, readCatalogue } from "./search-quality/catalogue.ts";
import { QUERY_CLASSES } from "./search-quality/classes.ts";
import { createMiniSearch } from "./search-quality/minisearch.ts";
import { type LabelledQuery, makeQueries, type QueryClass } from "./search-quality/query-class.ts";
import { ANSWERS, type Answer, type Engine, mean, scoreAnswers } from "./search-quality/score.ts";

const { values: options } = parseArgs({
  options: {
    kind: { type: "string", default: "items" },
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "1" },
    "per-class": { type: "string", default: "300" },
    languages: { type: "string" },
    queries: { type: "string" },
    only: { type: "string", multiple: true },
    alone: { type: "boolean", default: false },
    misses: { type: "string", default: "0" },
    strict: { type: "boolean", default: false },
  },
});
const kind = options.kind as CatalogueKind;
const seeds = Array.from({ length: Number(options.seeds) }, (_, n) => Number(options.seed) + n);

const database = await openDatabase(loadConfig(process.env), {
  log: console.error,
  migrate: true,
  create: true,
});
try {
  const records = await readCatalogue(database.db, kind);
  const catalogue = new Catalogue(records);
  console.error(`${records.length} ${kind}, ${catalogue.names.length} different names`);
  await compare(catalogue, [await openAlmanac(), ...(options.alone ? [] : [createMiniSearch(records)])]);
} finally {
  await database.close();
}

async function openAlmanac(): Promise<Engine> {
  const log = pino({ level: "warn" });
  const source = new IndexSource({ db: database.db, databaseUrl: database.url, log });
  const index = new SearchIndex((await source.load(kind, new AbortController().signal)).data);
  return {
    name: "Almanac",
    search: (text) =>
      index.search(text, { limit: ANSWERS, offset: 0 }).hits.map(({ record, match }) => {
        const names = new Set([record.name, ...Object.values(record.names)]);
        return { id: record.id, label: `${[...names].join(" / ")} [${match}]` };
      }),
  };
}

async function compare(catalogue: Catalogue, engines: readonly Engine[]): Promise<void> {
  const rows = [["class", "metric", "queries", "asked", ...engines.map(({ name }) => name), ""]];
  const misses: string[] = [];
  for (const [queryClass, queries] of await listQueries(catalogue)) {
    const answers = engines.map(({ search }) => queries.map(({ text }) => search(text)));
    for (const { metric, atLeast, withoutPeers } of queryClass.targets) {
      const scores = answers.map((each) =>
        each.map((found, n) => scoreAnswers(queries[n] as LabelledQuery, found)[metric]),
      );
      const [ours = 0, ...peers] = scores.map(mean);
      const isMissed = ours < Math.max(atLeast ?? 0, ...(withoutPeers ? [] : peers));
      if (isMissed && options.strict) process.exitCode = 1;
      const figures = [atLeast, ours, ...peers].map((figure) => figure?.toFixed(1) ?? "");
      rows.push([queryClass.name, metric, `${queries.length}`, ...figures, isMissed ? "missed" : ""]);
      const missed = [...queries.keys()].filter((n) => (scores[0]?.[n] ?? 0) < 100);
      for (const n of missed.slice(0, Number(options.misses))) {
        misses.push(describeMiss(queryClass, queries[n] as LabelledQuery, answers[0]?.[n] ?? []));
      }
    }
    console.error(`${queryClass.name}, ${queries.length} queries`);
  }
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of rows)
    console.log(
      row
        .map((cell, n) => cell.padEnd(widths[n] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  if (misses.length > 0) console.log(`\n${misses.join("\n")}`);
}

async function listQueries(catalogue: Catalogue): Promise<[QueryClass, LabelledQuery[]][]> {
  if (options.queries !== undefined) return [await readTyped(options.queries, catalogue)];
  const { only, languages, "per-class": count } = options;
  const classes = QUERY_CLASSES.filter(({ name }) => only?.some((start) => name.startsWith(start)) ?? true);
  const set = { count: Number(count), languages: languages?.split(",") };
  return classes.map((queryClass) => [
    queryClass,
    seeds.flatMap((seed) => makeQueries(queryClass, catalogue, { seed, ...set })),
  ]);
}

const typedByHand = z.array(z.strictObject({ typed: z.string().min(1), meant: z.string().min(1) }));

/** Queries that people wrote, with the names that they meant. @throws RangeError for a name that no record has */
async function readTyped(file: string, catalogue: Catalogue): Promise<[QueryClass, LabelledQuery[]]> {
  const queries = typedByHand.parse(JSON.parse(await readFile(file, "utf8"))).map(({ typed, meant }) => {
    const hits = catalogue.named(meant);
    if (hits.count === 0) throw new RangeError(`${file}: no record is called ${meant}`);
    return { text: typed, meant, hits, relevant: hits };
  });
  const targets = [{ metric: "hit@3", atLeast: 88 } as const];
  return [{ name: "typed by hand", targets, fits: () => false, make: () => undefined }, queries];
}

function describeMiss({ name }: QueryClass, query: LabelledQuery, answers: readonly Answer[]): string {
  const lines = answers.map(({ id, label }) => `    ${query.relevant.includes(id) ? "+" : "-"} ${label}`);
  return [`${name}: ${JSON.stringify(query.text)} for ${query.meant}`, ...lines].join("\n");
}
