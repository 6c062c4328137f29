/**
 * Measures how fast search answers, beside two bare Express apps in the same run. One repeats the same answers by
 * `res.json`; the other runs a SELECT by primary key for each request.
 *
 * Uses DATABASE_URL (a migrated database whose items may be lost), else an embedded Postgres of its own. Cold queries
 * and their addresses are all different; hot ones repeat. `--import` also searches during an import of 100,000 items,
 * `--json` prints all figures at the end, `--strict` exits with 1 if a target is missed. `--only import` measures
 * nothing else.
 *
 * Usage:
 *   node bench/search-speed.ts [--names 10000,100000,1000000] [--connections 1,8,64,256] [--seconds 5]
 *     [--rounds 3] [--only plain,forgiving,hot] [--import] [--json] [--strict]
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import type { Knex } from "knex";
import { createDb } from "../src/db/connect.ts";
import { startEmbeddedPostgres } from "../src/db/embedded/start.ts";
import { migrate } from "../src/db/migrate.ts";
import { openCatalogue } from "./search-speed/catalogue.ts";
import { fillItems } from "./search-speed/database.ts";
import { markItem, searchDuringImport } from "./search-speed/import-meanwhile.ts";
import { generateItems } from "./search-speed/items.ts";
import { LoadGenerator } from "./search-speed/load.ts";
import { makeQueries } from "./search-speed/queries.ts";
import { GROUPS, judge, type Line, tableHead, tableLine, type Verdict } from "./search-speed/report.ts";
import { startBaseline, startSite } from "./search-speed/servers.ts";
import { measureGroup } from "./search-speed/workloads.ts";

const IMPORTED = 100_000;

const { values } = parseArgs({
  options: {
    names: { type: "string", default: "10000,100000,1000000" },
    connections: { type: "string", default: "1,8,64,256" },
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
    only: { type: "string", default: "plain,forgiving,hot" },
    import: { type: "boolean" },
    json: { type: "boolean" },
    strict: { type: "boolean" },
  },
});
const groups = GROUPS.filter((group) => values.only.split(",").includes(group));

// What was started ends with this process (servers.ts), also when somebody has seen enough.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
const directory = await mkdtemp(path.join(tmpdir(), "almanac-bench-"));
const external = process.env.DATABASE_URL;
const server = external
  ? { url: external, stop: async () => undefined }
  : await startEmbeddedPostgres({ directory: path.join(directory, "postgres"), log: console.error });
const db = createDb({ url: server.url });
const generator = new LoadGenerator();
try {
  await migrate(db);
  await run(db);
} finally {
  generator.close();
  await db.destroy();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}

async function run(db: Knex): Promise<void> {
  const lines: Line[] = [];
  if (groups.length > 0)
    for (const count of numbers(values.names)) lines.push(...(await measureSize(db, count)));
  const verdicts = judge(lines);
  if (values.import) verdicts.push(...(await measureImport(db)));
  for (const verdict of verdicts) print(verdict);
  if (values.json) console.log(JSON.stringify({ lines, verdicts }));
  if (values.strict && verdicts.some(({ holds }) => !holds)) process.exitCode = 1;
}

async function measureSize(db: Knex, count: number): Promise<Line[]> {
  const { site, items } = await openCatalogue(db, { count, databaseUrl: server.url, directory });
  const [answers, row] = [await startBaseline("answers", server.url), await startBaseline("row", server.url)];
  const setting = { site, items, answers, row, generator, names: count };
  const lines: Line[] = [];
  try {
    for (const group of groups) {
      console.log(`\n${group}\n${tableHead()}`);
      for (const connections of numbers(values.connections)) {
        const load = { connections, seconds: Number(values.seconds), rounds: Number(values.rounds) };
        const measured = await measureGroup(setting, group, load);
        for (const line of measured) console.log(tableLine(line));
        lines.push(...measured.filter(({ baseline }) => !baseline));
      }
    }
    const { now, peak } = await site.memory();
    console.log(`memory of the site afterwards: ${toMegabytes(now)} MB, at most ${toMegabytes(peak)} MB`);
  } finally {
    for (const running of [site, answers, row]) await running.stop();
  }
  return lines;
}

async function measureImport(db: Knex): Promise<Verdict[]> {
  const items = [...generateItems(IMPORTED)];
  await fillItems(
    db,
    items.map((item) => markItem(item, 1)),
  );
  const site = await startSite(server.url, directory);
  try {
    const queries = ["prefix, 4 to 8", "later word"].flatMap((name) => makeQueries(name, items, 10_000));
    const paths = queries.map((query) => `/api/items/search?q=${encodeURIComponent(query)}`);
    return await searchDuringImport({ site, generator, databaseUrl: server.url, directory, items, paths });
  } finally {
    await site.stop();
  }
}

function print({ target, measured, holds }: Verdict): void {
  console.log(`${holds ? "ok    " : "MISSED"} ${target}: ${measured}`);
}

function numbers(list: string): number[] {
  return list.split(",").map(Number);
}

function toMegabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0);
}
