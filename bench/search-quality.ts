/**
 * Measures how well the search finds what was meant, beside MiniSearch in the same run.
 *
 * Works on any imported catalogue: the database at DATABASE_URL, else the embedded one in DATA_DIR. It builds the index
 * in this process, and makes the queries from the catalogue's own names, the same ones for the same seed. `--queries`
 * asks those of a file instead, a JSON list of `{ "typed": …, "meant": a name }`. `--alone` leaves MiniSearch out,
 * `--misses` prints failed queries.
 *
 * Usage:
 *   node bench/search-quality.ts [--kind items] [--seeds 3] [--per-class 300] [--only prefix --only typo]
 *     [--queries FILE] [--alone] [--misses 10]
 */
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { pino } from "pino";
import { openDatabase } from "../src/db/open.ts";
import { SearchIndex } from "../src/search/index/search-index.ts";
import { IndexSource } from "../src/search/load.ts";
import { loadConfig } from "../src/settings/config.ts";
import type { CatalogueKind } from "../src/words/kinds/kinds.ts";
import { tableOf } from "./report.ts";
import { Catalogue, readCatalogue } from "./search-quality/catalogue.ts";
import { QUERY_CLASSES } from "./search-quality/classes.ts";
import { createMiniSearch } from "./search-quality/minisearch.ts";
import { type LabelledQuery, makeQueries, type QueryClass } from "./search-quality/query-class.ts";
import { ANSWERS, type Engine, type Metric, scoreAnswers } from "./search-quality/score.ts";

const { values: options } = parseArgs({
  options: {
    kind: { type: "string", default: "items" },
    seeds: { type: "string", default: "1" },
    "per-class": { type: "string", default: "300" },
    queries: { type: "string" },
    only: { type: "string", multiple: true, default: [""] },
    alone: { type: "boolean", default: false },
    misses: { type: "string", default: "0" },
  },
});
const kind = options.kind as CatalogueKind;
type Asked = [Pick<QueryClass, "name" | "targets">, LabelledQuery[]];

const opening = { log: console.error, migrate: true, create: true };
const database = await openDatabase(loadConfig(process.env), opening);
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
  for (const [{ name, targets }, queries] of await listQueries(catalogue)) {
    const answers = engines.map(({ search }) => queries.map(({ text }) => search(text)));
    for (const [metric, target] of Object.entries(targets)) {
      const scores = queries.map((query, n) =>
        answers.map((each) => scoreAnswers(query, each[n] ?? [])[metric as Metric]),
      );
      const means = engines.map(
        (_, at) => scores.reduce((sum, each) => sum + (each[at] ?? 0), 0) / queries.length,
      );
      const [ours = 0, ...peers] = means;
      // A peer that finds nothing at all would win where nothing is right.
      const isMissed = ours < Math.max(target, ...(metric === "empty" ? [] : peers));
      const figures = [target || "", ...means.map((figure) => figure.toFixed(1))].map(String);
      rows.push([name, metric, `${queries.length}`, ...figures, isMissed ? "missed" : ""]);
      const missed = [...queries.keys()].filter((n) => (scores[n]?.[0] ?? 0) < 100);
      for (const n of missed.slice(0, Number(options.misses))) {
        const { text, meant, relevant } = queries[n] as LabelledQuery;
        misses.push(`${name}: ${JSON.stringify(text)} for ${meant}`);
        for (const { id, label } of answers[0]?.[n] ?? [])
          misses.push(`    ${relevant.includes(id) ? "+" : "-"} ${label}`);
      }
    }
    console.error(`${name}, ${queries.length} queries`);
  }
  console.log([tableOf(rows), "", ...misses].join("\n"));
}

async function listQueries(catalogue: Catalogue): Promise<Asked[]> {
  if (options.queries !== undefined) {
    const queries = await readTyped(options.queries, catalogue);
    return [[{ name: "typed by hand", targets: { "hit@3": 88 } }, queries]];
  }
  const seeds = Array.from({ length: Number(options.seeds) }, (_, n) => 1 + n);
  const count = Number(options["per-class"]);
  const wanted = QUERY_CLASSES.filter(({ name }) => options.only.some((start) => name.startsWith(start)));
  return wanted.map((each) => [each, seeds.flatMap((seed) => makeQueries(each, catalogue, { seed, count }))]);
}

/** Queries that people wrote, with the names that they meant. @throws RangeError for a name that no record has */
async function readTyped(file: string, catalogue: Catalogue): Promise<LabelledQuery[]> {
  const pairs: { typed: string; meant: string }[] = JSON.parse(await readFile(file, "utf8"));
  return pairs.map(({ typed: text, meant }) => {
    const hits = catalogue.named(meant);
    if (hits.count === 0) throw new RangeError(`${file}: no record is called ${meant}`);
    return { text, meant, hits, relevant: hits };
  });
}
