/**
 * What relations cost an entry's page: `node bench/relations.ts [relations]`, 1,000,000 unless told.
 *
 * Two sites with the same items, one of them with relations: 20 from each item and about as many to it, among them
 * recipes of three levels, and 100 shops that sell thousands; beside them each item names four others and a shop in its
 * attributes, as the vocabulary of both says. Asks both for the same pages in turn, each page once, so that none is
 * remembered, and prints the ratio of the 99th percentiles. Fails where it is above 1.2. Also prints how long it took
 * to make the references of all attributes.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Knex } from "knex";
import { migrate } from "../src/db/migrate.ts";
import { paths } from "../src/urls.ts";
import { type Site, startSite } from "./search-speed/servers.ts";
import { withThrowAwayDatabase } from "./throw-away-database.ts";

const AT_MOST = 1.2;
const PER_ITEM = 20;
const SHOPS = 100;
const PAGES = 1000;
const WARM_UP = 100;
/** Of so many pages one is a shop's. */
const SHOP_EVERY = 20;

/** Relations of each item `n` by SQL: which items have them, how many, and to which entry the one numbered `k` leads. */
interface Relation {
  readonly kind: string;
  readonly of: string;
  readonly count: string;
  readonly to: string;
}

/** A quarter of the items are raw; each of the others is made of three of the level below. */
const RELATIONS: readonly Relation[] = [
  {
    kind: "made-of",
    of: "n % 4 > 0",
    count: "3",
    to: "'item', (n * 7 + k * 124) % items / 4 * 4 + n % 4 - 1",
  },
  { kind: "sold-at", of: "true", count: "3", to: `'business', (n + k * 17) % ${SHOPS}` },
  { kind: "drops-from", of: "true", count: "5 + 3 * (n % 4 = 0)::int", to: "'item', (n * 13 + k) % items" },
  { kind: "unlocks", of: "true", count: "9", to: "'item', (n * 11 + k) % items" },
];

/** Of both sites; only one of them has such attributes. */
const VOCABULARY = {
  kinds: {
    items: {
      attributes: {
        shop: { type: "entry", kind: "businesses", reverse: "Sold here" },
        needs: { type: "entries", kind: "items", count: "qty" },
      },
    },
  },
};
const NAMED_BY_ITEM = 5;

const items = Math.ceil(Number(process.argv[2] ?? 1_000_000) / PER_ITEM);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

await withThrowAwayDatabase((bare, bareUrl) =>
  withThrowAwayDatabase(async (related, relatedUrl) => {
    for (const db of [bare, related]) await fill(db);
    for (const relation of RELATIONS) await relate(related, relation);
    await nameOthers(related);
    for (const db of [bare, related]) await db.raw("vacuum analyze");
    const count = Number((await related("relations").count().first())?.count);
    console.log(`${count} relations of ${items} items`);
    await compareSites(bareUrl, relatedUrl, related);
  }),
);

async function fill(db: Knex): Promise<void> {
  await migrate(db);
  const named = (table: string, word: string, count: number) =>
    db.raw(
      `insert into ${table} (id, name, names, category, description, attributes)
       select n, '${word} ' || n, jsonb_build_object('en', '${word} ' || n, 'ru', 'Запись ' || n),
              'Category ' || n % 40, 'The ${word} ' || n || ', found in crates and shops.',
              jsonb_build_object('price', n * 25, 'weight_kg', n % 7, 'slot', n % 5, 'tradable', n % 2 = 0)
         from generate_series(0, :last::int) n`,
      { last: count - 1 },
    );
  await named("items", "Thing", items);
  await named("businesses", "Shop", SHOPS);
}

async function relate(db: Knex, { kind, of, count, to }: Relation): Promise<void> {
  await db.raw(
    `insert into relations (id, from_kind, from_id, kind, to_kind, to_id, count, position)
     select 'item:' || n || ' ${kind} ' || k, 'item', n, '${kind}', r.to_kind, r.to_id, k, k
       from generate_series(0, :items::int - 1) n
            cross join (select :items::int as items) i
            cross join lateral generate_series(1, ${count}) k
            cross join lateral (select ${to}) r (to_kind, to_id)
      where ${of}`,
    { items },
  );
}

async function nameOthers(db: Knex): Promise<void> {
  await db.raw(
    `update items set attributes = attributes || jsonb_build_object('shop', (id::int % ${SHOPS})::text, 'needs',
       (select jsonb_agg(jsonb_build_object('id', (id::int * 17 + k) % :items::int, 'qty', k)) from generate_series(1, 4) k))`,
    { items },
  );
}

async function compareSites(bareUrl: string, relatedUrl: string, db: Knex): Promise<void> {
  const directory = await mkdtemp(path.join(tmpdir(), "almanac-bench-"));
  const sites: Site[] = [];
  try {
    await writeFile(path.join(directory, "site.json"), JSON.stringify(VOCABULARY));
    const bare = await startSite(bareUrl, directory);
    sites.push(bare);
    const related = await startSite(relatedUrl, directory);
    sites.push(related);
    await waitForReferences(db);
    await compare(bare, related);
  } finally {
    agent.destroy();
    await Promise.all(sites.map((site) => site.stop()));
    await rm(directory, { recursive: true, force: true });
  }
}

/** The site makes them once it runs. */
async function waitForReferences(db: Knex): Promise<void> {
  const began = performance.now();
  const count = async () => Number((await db("attribute_relations").count().first())?.count);
  while ((await count()) < items * NAMED_BY_ITEM) await pause(100);
  const seconds = (performance.now() - began) / 1000;
  console.log(`${items * NAMED_BY_ITEM} references of attributes, made in about ${seconds.toFixed(1)} s`);
  await db.raw("vacuum analyze attribute_relations");
}

async function compare(bare: Site, related: Site): Promise<void> {
  const [without, having]: [number[], number[]] = [[], []];
  for (let n = 0; n < WARM_UP + PAGES; n++) {
    const page = pageAt(n);
    // In turn also which of them is first.
    const first = n % 2 === 0;
    const a = await ask(first ? bare : related, page);
    const b = await ask(first ? related : bare, page);
    if (n < WARM_UP) continue;
    without.push(first ? a : b);
    having.push(first ? b : a);
  }
  const ratio = at(having, 0.99) / at(without, 0.99);
  console.log(`${PAGES} pages without relations: ${describe(without)}`);
  console.log(`with them: ${describe(having)}; ratio of the p99 ${ratio.toFixed(2)}`);
  if (ratio > AT_MOST) process.exitCode = 1;
}

function pageAt(n: number): string {
  if (n % SHOP_EVERY === 0) return paths.entry("businesses", `${n / SHOP_EVERY}`);
  return paths.entry("items", `${Math.floor((n * items) / (WARM_UP + PAGES))}`);
}

/** Milliseconds until the page is there. */
function ask({ port }: Site, page: string): Promise<number> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const request = get({ port, host: "127.0.0.1", path: page, agent }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${page} was answered ${answer.statusCode}`));
      answer.resume().on("end", () => resolve(performance.now() - began));
    });
    request.on("error", reject);
  });
}

function describe(times: readonly number[]): string {
  return `p50 ${at(times, 0.5).toFixed(1)} ms, p99 ${at(times, 0.99).toFixed(1)} ms`;
}

function at(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;
}
