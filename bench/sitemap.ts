/**
 * The sitemap of a site with a million items: `node bench/sitemap.ts [items]`.
 *
 * Fills a throw-away database, then fetches /sitemap.xml and every child over HTTP from a server process of its own.
 * Fails unless all of them are well-formed, within the protocol's limits, and list each URL exactly once. Times are
 * compared with reading the same ids straight from the database in the same run, memory with the idle server's.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express from "express";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import type { Knex } from "knex";
import { pino } from "pino";
import { createDb } from "../src/db/connect.ts";
import { migrate } from "../src/db/migrate.ts";
import { requestLog } from "../src/http/log.ts";
import { sitemapRoutes } from "../src/sitemap/routes.ts";
import { SITEMAP_LIMITS } from "../src/sitemap/size.ts";
import { withThrowAwayDatabase } from "./throw-away-database.ts";

const BASE_URL = "https://almanac.example";
const [role = "1000000", databaseUrl = ""] = process.argv.slice(2);
const parser = new XMLParser({
  isArray: (name) => name === "url" || name === "sitemap",
  parseTagValue: false,
});

if (role === "serve") await serve(databaseUrl);
else await withThrowAwayDatabase((db, url) => measure(db, url, Number(role)));

async function measure(db: Knex, url: string, items: number): Promise<void> {
  await migrate(db);
  await timed(`fill ${items} items`, () => fill(db, items));
  const baseline = await timed("baseline: all ids by SQL", () => readIds(db));
  const server = fork(import.meta.filename, ["serve", url]);
  try {
    await compare(server, items, baseline.seconds);
  } finally {
    server.kill();
  }
}

async function compare(server: ChildProcess, items: number, baseline: number): Promise<void> {
  const [port] = await once(server, "message");
  const origin = `http://127.0.0.1:${port}`;
  await download(`${origin}/robots.txt`);
  const idle = await peakMegabytes(server);
  const index = await timed("index, first time", () => download(`${origin}/sitemap.xml`));
  await timed("index, borders known", () => download(`${origin}/sitemap.xml`));
  const children = locations(index.result, "sitemapindex", "sitemap");
  const { urls, largest, slowest, seconds } = await readChildren(origin, children);
  const expected = items + locations(await download(`${origin}/sitemap-pages-1.xml`), "urlset", "url").length;
  if (urls.size !== expected) throw new Error(`${urls.size} URLs, not ${expected}`);
  const peak = await peakMegabytes(server);
  console.log(`${children.length} children: ${seconds.toFixed(2)} s, the slowest ${slowest.toFixed(2)} s`);
  console.log(`that is ${(seconds / baseline).toFixed(1)} times the baseline`);
  console.log(`${urls.size} URLs, each once; the largest child has ${(largest / 1e6).toFixed(1)} MB`);
  console.log(`peak memory of the server: ${peak} MB, ${(peak / idle).toFixed(2)} times the idle ${idle} MB`);
}

/** Downloads and checks every child; `slowest` and `seconds` are of the downloads alone. */
async function readChildren(origin: string, children: string[]) {
  const urls = new Set<string>();
  let [largest, slowest, seconds] = [0, 0, 0];
  for (const child of children) {
    const start = performance.now();
    const xml = await download(origin + child.slice(BASE_URL.length));
    const taken = (performance.now() - start) / 1000;
    [seconds, slowest] = [seconds + taken, Math.max(slowest, taken)];
    largest = Math.max(largest, Buffer.byteLength(xml));
    const locs = locations(xml, "urlset", "url");
    if (locs.length > SITEMAP_LIMITS.urls || largest > SITEMAP_LIMITS.bytes)
      throw new Error(`${child} is too large`);
    for (const loc of locs) {
      if (urls.has(loc)) throw new Error(`${loc} is listed twice`);
      urls.add(loc);
    }
  }
  return { urls, largest, slowest, seconds };
}

function locations(xml: string, root: string, entry: string): string[] {
  const valid = XMLValidator.validate(xml);
  if (valid !== true) throw new Error(`not well-formed: ${valid.err.msg}`);
  return parser.parse(xml)[root][entry].map(({ loc }: { loc: string }) => loc);
}

async function download(address: string): Promise<string> {
  const response = await fetch(address);
  if (response.status !== 200) throw new Error(`${address}: ${response.status}`);
  return response.text();
}

async function timed<Result>(
  what: string,
  work: () => Promise<Result>,
): Promise<{ result: Result; seconds: number }> {
  const start = performance.now();
  const result = await work();
  const seconds = (performance.now() - start) / 1000;
  console.log(`${what}: ${seconds.toFixed(2)} s`);
  return { result, seconds };
}

/** As an import leaves the table: not vacuumed yet. */
async function fill(db: Knex, items: number): Promise<void> {
  await db.raw(
    `insert into items (id, name, description, attributes, updated_at, created_at)
     select 'item-' || n, 'Item ' || n, repeat('Some words. ', 8), jsonb_build_object('weight', n % 100),
            now() - n * interval '1 second', now() - n * interval '1 second'
       from generate_series(1, ?::integer) as n`,
    [items],
  );
}

async function readIds(db: Knex): Promise<void> {
  for (let last = "", rows = [{ id: "" }]; rows.length > 0; last = rows.at(-1)?.id ?? "") {
    rows = await db("items").select("id", "updated_at").where("id", ">", last).orderBy("id").limit(1_000);
  }
}

async function serve(url: string): Promise<void> {
  const config = { baseUrl: BASE_URL, indexNowEndpoint: undefined, sessionSecret: "unused" };
  const routes = sitemapRoutes({ config, db: createDb({ url }) });
  const app = express().use(requestLog(pino({ level: "warn" })), routes);
  const server = app.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
  process.on("message", () => process.send?.(Math.round(process.resourceUsage().maxRSS / 1024)));
}

async function peakMegabytes(server: ChildProcess): Promise<number> {
  server.send("memory");
  const [megabytes] = await once(server, "message");
  return megabytes;
}
