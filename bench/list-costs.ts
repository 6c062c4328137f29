/**
 * What addresses of lists cost beside the page that logs in: `node bench/list-costs.ts [items]`, the demo's
 * own items unless told; more are made of those.
 *
 * Asks a site of its own for each address in turn, each time for another view, so that no memory of counts helps, and
 * adds up the processor time of Node and of Postgres. Fails where a view takes more than 20 times the log-in page.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Knex } from "knex";
import { migrate } from "../src/db/migrate.ts";
import { loadDemo } from "../src/demo/load.ts";
import { WITHOUT_LIMITS } from "./site.ts";
import { withThrowAwayDatabase } from "./throw-away-database.ts";

const ROOT = path.join(import.meta.dirname, "..");
const AT_MOST = 20;
const WARM_UP = 10;
const ROUNDS = 30;
const LOGINS = 100;
/** /proc tells processor time in hundredths of a second. */
const TICK_MS = 10;

const RANGES = ["price", "slot", "hunger", "pack", "clip", "thirst", "alcohol", "grow_minutes"];
const FLOODED = "slot job unit rarity thirst price pack hunger grow_minutes clip alcohol".split(" ");
/** Ten facets with four of their values each. */
const TICKED = {
  slot: [0, 1, 10, 2],
  hunger: [30, 45, 60, 25],
  unit: ["piece", "kg", "m", "barrel"],
  pack: [50, 21, 25, 10],
  clip: [17, 7, 1, 2],
  thirst: [40, 30, 35, 28],
  alcohol: [1, 12, 3, 5],
  rarity: ["common", "uncommon", "rare", "legendary"],
  job: ["pilot", "paramedic", "lumberjack", "miner"],
  grow_minutes: [40, 50, 45, 35],
};

const letter = (n: number) => "abcdefghijklmnop"[n % 16] ?? "";
const ticked = (facets: number) =>
  Object.entries(TICKED)
    .slice(0, facets)
    .flatMap(([key, values]) => values.map((value): [string, string] => [`a.${key}`, String(value)]));
const from = (n: number, ranges: number) =>
  RANGES.slice(0, ranges).map((key): [string, string] => [`min.${key}`, String(n / 1000)]);

/** The query of each address; `n` makes one view differ from the next. */
const VIEWS: Record<string, (n: number) => [string, string][]> = {
  "the whole list": () => [],
  "its tenth page": () => [["page", "10"]],
  "a category": (n) => [["category", "Weapons"], ...from(n, 1)],
  "one value": (n) => [
    ["a.unit", "kg"],
    ["sort", letter(n) > "h" ? "name" : "newest"],
  ],
  "a word": (n) => [["q", letter(n) + letter(n + 3)]],
  "a word and filters": (n) => [["q", letter(n)], ["a.unit", "piece"], ...from(n, 1)],
  "a range": (n) => from(n, 1),
  "a range, by figures": (n) => [...from(n, 1), ["sort", "-a.price"]],
  "three ranges": (n) => from(n, 3),
  "eight ranges": (n) => from(n, 8),
  "four values of one facet and a range": (n) => [...ticked(1), ...from(n, 1)],
  "four facets": (n) => [...ticked(4), ...from(n, 1)],
  "ten facets": (n) => [...ticked(10), ...from(n, 1)],
  "eleven facets with 50 values each": (n) =>
    FLOODED.flatMap((key) =>
      Array.from({ length: 50 }, (_, at): [string, string] => [`a.${key}`, `${at + n}`]),
    ),
};

const wanted = Number(process.argv[2] ?? 0);

await withThrowAwayDatabase(async (db, url) => {
  await migrate(db);
  await loadDemo(db);
  const items = await multiply(db, wanted);
  console.log(`${items} items`);
  const only = process.argv[3];
  const site = spawn(process.execPath, ["src/main.ts", "serve"], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...WITHOUT_LIMITS,
      DATABASE_URL: url,
      PORT: "0",
      LOG_LEVEL: "fatal",
      POLL: "0",
      WORKER: "0",
      DEMO_DATA: "0",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(site, "exit");
  try {
    const origin = await readOrigin(createInterface({ input: site.stdout }));
    const processes = { node: site.pid ?? 0, postgres: await postmaster(db) };
    await compare(origin, processes, only);
  } finally {
    site.kill("SIGINT");
    await ended;
  }
});

async function compare(
  origin: string,
  processes: { node: number; postgres: number },
  only?: string,
): Promise<void> {
  const login = () => measure(() => `${origin}/login`, processes, LOGINS);
  await login();
  let isDear = false;
  for (const [name, query] of Object.entries(VIEWS)) {
    if (only && !name.includes(only)) continue;
    // Beside each other: what else the machine does meanwhile makes both dearer.
    const [before, view, after] = [
      await login(),
      await measure((n) => `${origin}/items?${new URLSearchParams(query(n))}`, processes, ROUNDS),
      await login(),
    ];
    const ratio =
      (2 * (view.node + view.postgres)) / (before.node + before.postgres + after.node + after.postgres);
    console.log(`${name}: ${ratio.toFixed(1)} times; ${describe(view)}`);
    isDear ||= ratio > AT_MOST;
  }
  console.log(`/login: ${describe(await login())}`);
  if (isDear) process.exitCode = 1;
}

type Cost = Awaited<ReturnType<typeof measure>>;

function describe({ node, postgres, bytes, status }: Cost): string {
  return `node ${node.toFixed(1)} ms, Postgres ${postgres.toFixed(1)} ms, ${(bytes / 1000).toFixed(0)} kB, ${status}`;
}

/** Milliseconds of processor time for one answer. The first ones are not counted: they find the site cold. */
async function measure(
  address: (n: number) => string,
  processes: { node: number; postgres: number },
  rounds: number,
) {
  let [bytes, status] = [0, 0];
  const ask = async (n: number) => {
    const response = await fetch(address(n));
    [bytes, status] = [(await response.text()).length, response.status];
  };
  for (let n = 1; n <= WARM_UP; n++) await ask(n);
  const before = await timesOf(processes);
  for (let n = 1; n <= rounds; n++) await ask(n + WARM_UP);
  const after = await timesOf(processes);
  return {
    node: (after.node - before.node) / rounds,
    postgres: (after.postgres - before.postgres) / rounds,
    bytes,
    status,
  };
}

async function timesOf({ node, postgres }: { node: number; postgres: number }) {
  const all = await Promise.all(
    (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map((pid) => readStat(Number(pid))),
  );
  const ticks = (chosen: typeof all) =>
    chosen.reduce((sum, one) => sum + (one?.own ?? 0), 0) +
    chosen.reduce((sum, one) => sum + (one?.ended ?? 0), 0);
  return {
    node: ticks(all.filter((one) => one?.pid === node)) * TICK_MS,
    postgres: ticks(all.filter((one) => one?.pid === postgres || one?.parent === postgres)) * TICK_MS,
  };
}

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html; undefined: the process has ended meanwhile. */
async function readStat(pid: number) {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  if (!fields) return undefined;
  const [, parent, user, system, endedUser, endedSystem] = [0, 1, 11, 12, 13, 14].map((at) =>
    Number(fields[at]),
  );
  return { pid, parent, own: (user ?? 0) + (system ?? 0), ended: (endedUser ?? 0) + (endedSystem ?? 0) };
}

async function postmaster(db: Knex): Promise<number> {
  const { rows } = await db.raw("select pg_backend_pid() as pid");
  return (await readStat(rows[0].pid))?.parent ?? 0;
}

/** The items of the demo again and again, each with figures of its own. */
async function multiply(db: Knex, wanted: number): Promise<number> {
  const before = await db("items").count({ count: "*" }).first();
  const copies = Math.max(0, Math.ceil(wanted / Number(before?.count)) - 1);
  await db.raw(
    `insert into items (id, name, names, category, description, attributes, popularity)
     select id || ' ' || n, name || ' ' || n, names, category, description,
            attributes || case when attributes ? 'price'
              then jsonb_build_object('price', (attributes ->> 'price')::numeric + n) else '{}' end, popularity
       from items, generate_series(1, ?::integer) as n`.replace("attributes ? '", "attributes \\? '"),
    [copies],
  );
  await db.raw("vacuum analyze items");
  const after = await db("items").count({ count: "*" }).first();
  return Number(after?.count);
}

async function readOrigin(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const origin = / is at (http:\S+)/.exec(line)?.[1];
    if (origin) return origin;
  }
  throw new Error("the site did not start");
}
