/**
 * How long a backup and a restore of a large site take, and how much memory:
 * `node bench/backup.ts [--items 1000000] [--servers 500] [--days 365]`.
 *
 * Fills a throw-away embedded Postgres, saves it by the command while one client writes without a pause, and checks the file.
 * Then, without writes, takes it into an external Postgres 15 and from there into another embedded one; each must have the
 * rows and sequences of the first. The ratio is to a bare copy of the largest table, from Postgres to Postgres.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import type { Knex } from "knex";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { LEFT_OUT_TABLES, SESSIONS } from "../src/backup/tables.ts";
import { createDb } from "../src/db/connect.ts";
import { startEmbeddedPostgres } from "../src/db/embedded/start.ts";
import { migrate } from "../src/db/migrate.ts";
import { startOtherPostgres } from "../test/helpers/other-postgres.ts";
import { superuserUrl } from "../test/helpers/superuser.ts";
import { fillServers } from "./servers-history/fill.ts";

const { values } = parseArgs({
  options: {
    items: { type: "string", default: "1000000" },
    servers: { type: "string", default: "500" },
    days: { type: "string", default: "365" },
  },
});

const home = await mkdtemp(path.join(tmpdir(), "almanac-bench-"));
const [from, to, moved] = [path.join(home, "from"), path.join(home, "to"), path.join(home, "moved")];
const [busy, there, back] = ["busy", "there", "back"].map((name) => path.join(home, `${name}.tar`)) as [
  string,
  string,
  string,
];
try {
  const first = await inEmbedded(from, async (db, url) => {
    await migrate(db);
    await fill(db, await superuserUrl(path.join(from, "postgres"), url));
    await copyItems(db);
    const writer = keepWriting(db);
    await run(from, "backup", busy);
    console.log(`  meanwhile: ${await writer.stop()}`);
    console.log(`  the file has ${Math.round((await stat(busy)).size / 1e6)} MB`);
    await run(from, "backup", "--verify", busy);
    await run(from, "backup", there);
    return digestsOf(db);
  });
  await rm(from, { recursive: true });
  const external = await startOtherPostgres(15);
  try {
    const url = await external.createDatabase("almanac");
    await runAt({ url, dataDir: moved }, "restore", there);
    const db = createDb({ url, applicationName: "bench" });
    compare("external 15", first, await digestsOf(db));
    await db.destroy();
    await runAt({ url, dataDir: moved }, "backup", back);
  } finally {
    await external.stop();
  }
  await run(to, "restore", back);
  compare("embedded again", first, await inEmbedded(to, digestsOf));
} finally {
  await rm(home, { recursive: true, force: true });
}

async function inEmbedded<Result>(
  dataDir: string,
  work: (db: Knex, url: string) => Promise<Result>,
): Promise<Result> {
  await mkdir(dataDir, { recursive: true });
  const postgres = await startEmbeddedPostgres({
    directory: path.join(dataDir, "postgres"),
    log: console.error,
  });
  const db = createDb({ url: postgres.url, applicationName: "bench" });
  try {
    return await work(db, postgres.url);
  } finally {
    await db.destroy();
    await postgres.stop();
  }
}

/** For each table the number of its rows and the sum of their hashes, and each sequence, as texts. */
async function digestsOf(db: Knex): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  const leftOut = new Set(LEFT_OUT_TABLES.map(({ table }) => table));
  const { rows: tables } = await db.raw(
    "select c.relname as name from pg_class c where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition",
  );
  for (const { name } of tables) {
    if (leftOut.has(name) || name === SESSIONS) continue;
    const { rows } = await db.raw(
      "select concat_ws(' ', count(*), sum(hashtextextended(t::text, 0))) as digest from ?? t",
      [name],
    );
    digests.set(name, rows[0].digest);
  }
  const { rows: sequences } = await db.raw(
    "select sequencename as name, last_value as value from pg_sequences where schemaname = current_schema() and sequencename !~ '^knex_'",
  );
  for (const { name, value } of sequences) digests.set(`sequence ${name}`, String(value));
  return digests;
}

function compare(where: string, expected: Map<string, string>, found: Map<string, string>): void {
  const names = new Set([...expected.keys(), ...found.keys()]);
  const different = [...names].filter((name) => expected.get(name) !== found.get(name));
  if (different.length > 0) throw new Error(`${where}: other rows in ${different.join(", ")}`);
  const rows = [...expected.values()].reduce(
    (sum, digest) => sum + (/ /.test(digest) ? Number.parseInt(digest, 10) : 0),
    0,
  );
  console.log(`  ${where}: the same ${rows} rows, and the same sequences`);
}

async function fill(db: Knex, superuser: string): Promise<void> {
  const began = performance.now();
  // One statement of a million rows lists no single changes, as an import.
  await db.raw(
    `insert into items (id, name, names, category, description, popularity, attributes)
     select '/Generated/Items/' || n, 'Heavy Pistol ' || n, jsonb_build_object('ru', 'Тяжёлый пистолет ' || n, 'de', 'Schwerer Revolver ' || n),
            'Category ' || n % 50, 'The Heavy Pistol ' || n || ', found in **crates** and shops.', n % 1000,
            jsonb_build_object('tradable', n % 2 = 0, 'rarity', (array['Common', 'Uncommon', 'Rare'])[1 + n % 3], 'buildPrice', n * 25)
       from generate_series(1, ?::integer) n`,
    [Number(values.items)],
  );
  const admin = createDb({ url: superuser });
  try {
    await admin.transaction(async (transaction) => {
      // Nothing refers to a server that is not there; to check that takes half of the time.
      await transaction.raw("set local session_replication_role to replica");
      await fillServers(transaction, { servers: Number(values.servers), days: Number(values.days) });
    });
  } finally {
    await admin.destroy();
  }
  await db.raw("vacuum analyze");
  const { rows } = await db.raw("select pg_database_size(current_database()) / 1e6 as mb");
  console.log(`filled in ${seconds(began)} s, ${Math.round(rows[0].mb)} MB with indexes`);
}

/** The baseline: the items alone, through this process into a table without indexes. */
async function copyItems(db: Knex): Promise<void> {
  const [source, target] = [await db.client.acquireConnection(), await db.client.acquireConnection()];
  await db.raw("create table bench_items (like items)");
  const began = performance.now();
  await pipeline(
    source.query(copyTo("copy items to stdout")),
    target.query(copyFrom("copy bench_items from stdin")),
  );
  console.log(`bare COPY of the items: ${seconds(began)} s`);
  await db.raw("drop table bench_items");
  for (const connection of [source, target]) await db.client.releaseConnection(connection);
}

function keepWriting(db: Knex): { stop(): Promise<string> } {
  const times: number[] = [];
  let isOver = false;
  const writing = (async () => {
    while (!isOver) {
      const began = performance.now();
      await db("items").where({ id: "/Generated/Items/1" }).update({ popularity: times.length });
      times.push(performance.now() - began);
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await writing;
      times.sort((a, b) => a - b);
      const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
      return `${times.length} writes, half of them in ${at(0.5)} ms, 99 of 100 in ${at(0.99)} ms, all in ${times.at(-1)?.toFixed(0)} ms`;
    },
  };
}

/** Runs a command in a process of its own and prints its time and its peak of memory. */
async function run(dataDir: string, ...args: string[]): Promise<void> {
  await runAt({ url: "", dataDir }, ...args);
}

/** The same with an external database. */
async function runAt({ url, dataDir }: { url: string; dataDir: string }, ...args: string[]): Promise<void> {
  const began = performance.now();
  const child = spawn(process.execPath, ["src/main.ts", ...args], {
    env: { ...process.env, DATA_DIR: dataDir, DATABASE_URL: url },
    stdio: ["ignore", "inherit", "inherit"],
  });
  let peak = 0;
  // The kernel keeps the peak; the last look before the end has it.
  const looking = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
  }, 100);
  const [code] = await once(child, "exit");
  clearInterval(looking);
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}`);
  console.log(
    `${args[0]} ${args.length > 2 ? args[1] : ""}: ${seconds(began)} s, ${Math.round(peak / 1024)} MB of memory at most`,
  );
}

function seconds(began: number): string {
  return ((performance.now() - began) / 1000).toFixed(1);
}
