/**
 * How the search of a large catalogue follows changes, and how it starts.
 *
 *   node bench/search-follow.ts [--names 1000000] [--changes 20]
 *
 * On a throw-away Postgres with so many items: how long the first start takes until it searches; how soon a changed
 * record is found while 50 searches a second go on, and how much longer those take meanwhile; how long a start with the
 * index on disk takes; and whether a start is right after the process was killed while it wrote that file.
 */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Knex } from "knex";
import { migrate } from "../src/db/migrate.ts";
import { fillItems } from "./search-speed/database.ts";
import { generateItems, type Item } from "./search-speed/items.ts";
import { LoadGenerator } from "./search-speed/load.ts";
import { makeQueries } from "./search-speed/queries.ts";
import { type Site, startSite } from "./search-speed/servers.ts";
import { withThrowAwayDatabase } from "./throw-away-database.ts";

const { values } = parseArgs({
  options: { names: { type: "string", default: "1000000" }, changes: { type: "string", default: "20" } },
});
const RATE = 50;
const CONNECTIONS = 8;
const QUIET_S = 20;
/** Between two changes. */
const EVERY_MS = 1_000;
const PATIENCE_MS = 300_000;

process.env.LOG_LEVEL ??= "fatal";
const directory = await mkdtemp(path.join(tmpdir(), "almanac-bench-"));
const generator = new LoadGenerator();
try {
  await withThrowAwayDatabase(async (db, url) => {
    await migrate(db);
    const items = [...generateItems(Number(values.names))];
    await fillItems(db, items);
    const start = () => timedStart(url, items);
    let site = await start();
    console.log(`first start: answers after ${site.listens}, searches after ${site.searches}`);
    await untilWritten();
    console.log(`index on disk; memory ${await memoryOf(site)}`);
    await follow(db, site, items);
    await site.stop();
    site = await start();
    console.log(`start with it: answers after ${site.listens}, searches after ${site.searches}`);
    await killWhileWriting(db, site);
    site = await start();
    console.log(`start after kill -9: answers after ${site.listens}, searches after ${site.searches}`);
    await expectFound(site, items[0], "Written2");
    console.log("and finds what had changed");
    await site.stop();
  });
} finally {
  generator.close();
  await rm(directory, { recursive: true, force: true });
}

type TimedSite = Site & { listens: string; searches: string };

async function timedStart(url: string, items: readonly Item[]): Promise<TimedSite> {
  const began = performance.now();
  const site = await startSite(url, directory);
  const listens = since(began);
  while (!(await search(site, items[0]?.id ?? "")).includes('"id"')) await delay(20);
  return Object.assign(site, { listens, searches: since(began) });
}

/** The body, or nothing while there is no index. */
async function search(site: Site, q: string): Promise<string> {
  const address = `http://127.0.0.1:${site.port}/api/items/search?q=${encodeURIComponent(q)}&limit=1`;
  const answer = await fetch(address, { headers: { cookie: site.cookie } });
  const text = await answer.text();
  return answer.ok ? text : "";
}

async function follow(db: Knex, site: Site, items: readonly Item[]): Promise<void> {
  const queries = ["prefix, 4 to 8", "later word"].flatMap((name) => makeQueries(name, items, 5_000));
  const paths = queries.map((query) => `/api/items/search?q=${encodeURIComponent(query)}`);
  const order = {
    port: site.port,
    cookie: site.cookie,
    paths,
    unique: true,
    connections: CONNECTIONS,
    rate: RATE,
  };
  await generator.run({ ...order, seconds: 5 });
  const quiet = await generator.run({ ...order, seconds: QUIET_S });
  const busy = generator.run(order);
  const delays: number[] = [];
  for (let number = 1; number <= Number(values.changes); number++) {
    const item = items[(number * 7919) % items.length];
    const name = `Changed${number}`;
    await db("items").where({ id: item?.id }).update({ name, updated_at: db.fn.now() });
    const committed = performance.now();
    await expectFound(site, item, name);
    delays.push(performance.now() - committed);
    await delay(EVERY_MS);
  }
  generator.stop();
  const { p99 } = await busy;
  const worst = Math.max(...delays).toFixed(0);
  console.log(`${delays.length} changes: each found within ${worst} ms`);
  console.log(`p99 ${quiet.p99.toFixed(2)} ms before, ${p99.toFixed(2)} ms meanwhile`);
}

async function expectFound(site: Site, item: Item | undefined, name: string): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (!(await search(site, name)).includes(`"id":"${item?.id}"`)) {
    if (performance.now() > until) throw new Error(`${name} is not found`);
    await delay(10);
  }
}

/** Changes so many records that another index is built, and ends the process when its file is begun. */
async function killWhileWriting(db: Knex, site: Site): Promise<void> {
  await db("items").where({ id: "1" }).update({ name: "Written2", updated_at: db.fn.now() });
  await db.raw("update items set popularity = 1, updated_at = now() where id::integer % 400 = 2");
  const until = performance.now() + PATIENCE_MS;
  while (!(await drafts()).length) {
    if (performance.now() > until) throw new Error("no index was written");
    await delay(5);
  }
  process.kill(site.pid ?? 0, "SIGKILL");
  await delay(200);
  console.log(`killed while it wrote: ${(await drafts()).join(", ") || "the draft was complete"}`);
}

async function drafts(): Promise<string[]> {
  const names = await readdir(path.join(directory, "search")).catch(() => []);
  return names.filter((name) => name.endsWith(".draft"));
}

async function untilWritten(): Promise<void> {
  const isWritten = async () => {
    const names: string[] = await readdir(path.join(directory, "search")).catch(() => []);
    return names.includes("items.index") && !names.some((name) => name.endsWith(".draft"));
  };
  while (!(await isWritten())) await delay(100);
}

async function memoryOf(site: Site): Promise<string> {
  const { now, peak } = await site.memory();
  return `${(now / 1e6).toFixed(0)} MB, at most ${(peak / 1e6).toFixed(0)} MB`;
}

function since(began: number): string {
  return `${((performance.now() - began) / 1000).toFixed(1)} s`;
}
