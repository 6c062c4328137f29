/**
 * Pages of a long list, filtered and not: `node bench/catalogue-filters.ts [items]`, 100,000 unless told.
 *
 * Fills a throw-away database and asks a server in this process for each page in turn, many times over. Each page's
 * median is compared with that of the unfiltered list in the same run. `first` is the very first time, when nothing of
 * the list is in the memory of the process. With 100,000 items or fewer, fails where a page takes more than
 * 25 times the unfiltered one.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Knex } from "knex";
import { pino } from "pino";
import { createApp } from "../src/app.ts";
import { buildAssets } from "../src/assets/build.ts";
import { migrate } from "../src/db/migrate.ts";
import { LiveSearch } from "../src/search/live-search.ts";
import { NO_LIMITS } from "../src/settings/limits.ts";
import { PLAIN_LOOK } from "../src/settings/look.ts";
import { withThrowAwayDatabase } from "./throw-away-database.ts";

const PAGES = {
  "the unfiltered list": "",
  "its tenth page": "page=10",
  "a category": "category=Category+3",
  "a value that 1 in 20 has": "a.slot=7",
  "a value that 1 in 1,000 has": "a.city=City+7&a.slot=7",
  "two values of one, one of another": "a.slot=7&a.slot=8&a.siren=true",
  "a narrow range": "min.price=500&max.price=600",
  "a wide range": "min.price=1000",
  "a range that is sorted by": "max.price=20000&sort=-a.price",
  "a value, the last page": "a.slot=7&page=100000",
  "a value that only the last names have": "a.era=late",
};
const ROUNDS = 15;
const SLOWEST = 25;
const items = Number(process.argv[2] ?? 100_000);

await withThrowAwayDatabase(async (db, url) => {
  await migrate(db);
  await fill(db);
  const app = await createSite(db, url);
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await compare(origin);
  } finally {
    server.close();
  }
});

async function compare(origin: string): Promise<void> {
  const pages = Object.entries(PAGES).map(([name, query]) => ({
    name,
    address: `${origin}/items?${query}`,
    times: [] as number[],
  }));
  console.log(
    `${items} items; the facets, looked up once: ${(await timePage(`${origin}/items`)).toFixed(0)} ms`,
  );
  for (let round = 0; round < ROUNDS; round++) {
    for (const page of pages) page.times.push(await timePage(page.address));
  }
  const unfiltered = median(pages[0]?.times ?? []);
  for (const { name, times } of pages) {
    const ratio = median(times) / unfiltered;
    const [first = 0] = times;
    console.log(
      `${name}: ${median(times).toFixed(1)} ms, ${ratio.toFixed(1)} times; first ${first.toFixed(0)} ms`,
    );
    if (items <= 100_000 && ratio > SLOWEST)
      throw new Error(`${name} takes more than ${SLOWEST} times as long`);
  }
}

async function timePage(address: string): Promise<number> {
  const start = performance.now();
  const response = await fetch(address);
  const text = await response.text();
  if (response.status !== 200 || !text.includes("<tbody>")) throw new Error(`${address}: ${response.status}`);
  return performance.now() - start;
}

function median(times: number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

/** As an import leaves a table: analyzed. */
async function fill(db: Knex): Promise<void> {
  await db.raw(
    `insert into items (id, name, category, attributes)
     select n, 'Item ' || n, 'Category ' || n % 20,
            jsonb_build_object('slot', n % 20, 'city', 'City ' || n / 20 % 50, 'price', n::bigint * 7919 % 100000,
                               'weight_kg', n % 997 / 10.0, 'siren', n % 7 = 0, 'model', 'model ' || n,
                               'era', case when n > 0.95 * :items then 'late' else 'early' end)
       from generate_series(1, :items::integer) as n`,
    { items },
  );
  await db.raw("analyze items");
}

async function createSite(db: Knex, databaseUrl: string) {
  const log = pino({ level: "silent" });
  const config = {
    siteName: "Almanac",
    look: PLAIN_LOOK,
    baseUrl: "http://almanac.test",
    sessionSecret: "a secret of no other site",
    sessionDays: 1,
    sessionIdleDays: 1,
    trustProxy: false,
    mail: { kind: "none" as const },
    imageHosts: [],
    pushServices: [],
    privateAddresses: [],
    limits: NO_LIMITS,
    indexNowEndpoint: undefined,
  };
  const search = new LiveSearch({ db, databaseUrl, log });
  return createApp({ assets: await buildAssets(), config, db, log, search });
}
