import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Item } from "./items.ts";
import type { LoadGenerator, LoadOrder, LoadResult } from "./load.ts";
import type { Verdict } from "./report.ts";
import { REPOSITORY, type Site } from "./servers.ts";

const CONNECTIONS = 8;
/** Far below what the site can do: what is measured is how long a visitor waits, not who gets the processor. */
const RATE = 200;
/** The import's process has ended; the site still has to take the new catalogue over. */
const PATIENCE_MS = 60_000;
/** What the change leaves behind, such as memory to be freed, belongs to it. */
const AFTERWARDS_MS = 5_000;
const MAX_GROWTH = 5;

interface Meanwhile {
  site: Site;
  generator: LoadGenerator;
  databaseUrl: string;
  directory: string;
  items: readonly Item[];
  paths: readonly string[];
}

/**
 * Imports the items again, every name with another mark, during searches. Measures how much slower they get, and
 * whether an answer ever mixes both catalogues or returns to the old one. The existing names must carry the mark of
 * generation 1.
 */
export async function searchDuringImport(setting: Meanwhile): Promise<Verdict[]> {
  const { site, generator, items, paths } = setting;
  const file = path.join(setting.directory, "generation-2.ndjson");
  await pipeline(Readable.from(ndjson(items, 2)), createWriteStream(file));
  const marks = [markOf(1), markOf(2)];
  const { port, cookie } = site;
  const order: LoadOrder = { port, cookie, paths, marks, unique: true, connections: CONNECTIONS, rate: RATE };
  await untilSeen(site, items[0], 1);
  await generator.run({ ...order, seconds: 3 });
  const quiet = await generator.run({ ...order, seconds: 10 });
  const busy = generator.run(order);
  const started = performance.now();
  await runImport(file, setting);
  const imported = performance.now();
  await untilSeen(site, items[0], 2);
  const seen = seconds(performance.now() - imported);
  console.log(`import of ${items.length} items: ${seconds(imported - started)}, seen ${seen} later`);
  await delay(AFTERWARDS_MS);
  generator.stop();
  return verdicts(quiet, await busy);
}

/** The same item as a later (or the first) import names it. */
export function markItem(item: Item, generation: number): Item {
  return { ...item, name: item.name + markOf(generation), nameRu: item.nameRu + markOf(generation) };
}

function markOf(generation: number): string {
  return ` Gen${generation}`;
}

function* ndjson(items: readonly Item[], generation: number): Generator<string> {
  for (const item of items) {
    const { id, name, nameRu, category, popularity } = markItem(item, generation);
    yield `${JSON.stringify({ id, name, names: { en: name, ru: nameRu }, category, popularity })}\n`;
  }
}

async function runImport(file: string, { databaseUrl, directory }: Meanwhile): Promise<void> {
  const command = ["src/main.ts", "import", "items", file, "--quiet"];
  const env = { ...process.env, DATABASE_URL: databaseUrl, DATA_DIR: directory };
  const child = spawn(process.execPath, command, {
    cwd: REPOSITORY,
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`the import ended with ${code}`);
}

async function untilSeen(site: Site, item: Item | undefined, generation: number): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await site.ask(`/api/items/search?q=${item?.id}&limit=1`)).includes(markOf(generation))) {
    if (performance.now() > deadline) throw new Error(`generation ${generation} is not seen`);
    await delay(20);
  }
}

function verdicts(quiet: LoadResult, busy: LoadResult): Verdict[] {
  const [before = 0, after = 0] = busy.marked.alone;
  const { mixed, backwards } = busy.marked;
  const growth = busy.p99 / quiet.p99;
  const latencies = [quiet.p99, busy.p99, busy.slowest].map((latency) => `${latency.toFixed(2)} ms`);
  return [
    {
      target: "search during an import: each answer of one catalogue, none old after a new one",
      measured: `${before} of the old one, ${after} of the new one, ${mixed} mixed, ${backwards} backwards`,
      holds: before > 0 && after > 0 && mixed === 0 && backwards === 0,
    },
    {
      target: `search during an import: p99 under ${MAX_GROWTH} times the quiet one`,
      measured: `${growth.toFixed(1)} times (quiet, meanwhile and slowest: ${latencies.join(", ")})`,
      holds: growth < MAX_GROWTH,
    },
  ];
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
