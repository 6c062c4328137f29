/**
 * Polls 300 simulated SA-MP servers on loopback, of which 30 are silent and 10 hostile:
 *
 *   node bench/servers-poll.ts [--minutes 15] [--interval 60]
 *
 * The servers, the poller (`almanac poll`) and the embedded Postgres are processes of their own. Prints a line for each
 * interval and a verdict; exit code 1 unless every healthy server has exactly one record in every interval, none was
 * ever taken for offline, every round ended in its interval and the poller's memory stayed flat.
 */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Knex } from "knex";
import { migrate } from "../src/db/migrate.ts";
import { type SampMood, startSampPeer } from "../test/helpers/peers/samp.ts";
import { withThrowAwayDatabase } from "./throw-away-database.ts";

const HEALTHY = 260;
const SILENT = 30;
/** One of each of these, as long as there are some of the ten. */
const HOSTILE: SampMood[] = ["garbage", "huge", "wrongHeader", "late", "truncated", "lyingLength", "flood"];
const MOODS = [
  ...Array.from({ length: HEALTHY }, (): SampMood => "healthy"),
  ...Array.from({ length: SILENT }, (): SampMood => "silent"),
  ...Array.from({ length: 10 }, (_, index): SampMood => HOSTILE[index % HOSTILE.length] ?? "garbage"),
];
/** What the poller's memory may grow to: its peak in the last third, by that of the time before. */
const FLAT = 1.1;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "15" },
    interval: { type: "string", default: "60" },
    peers: { type: "boolean", default: false },
  },
});
const intervalS = Number(values.interval);
const rounds = Math.round((Number(values.minutes) * 60) / intervalS);

if (values.peers) await playServers();
else process.exitCode = (await withThrowAwayDatabase(measure)) ? 0 : 1;

/** Runs the servers until the process is ended, and tells their ports. */
async function playServers(): Promise<void> {
  process.once("disconnect", () => process.exit());
  const peers = await Promise.all(
    MOODS.map((mood, index) => startSampPeer({ mood, online: index, maximum: 200 })),
  );
  process.send?.(peers.map(({ port }) => port));
}

async function measure(db: Knex, url: string): Promise<boolean> {
  const children: ChildProcess[] = [];
  // What was started ends with this process, also when somebody has seen enough.
  process.once("exit", () => children.forEach((child) => void child.kill()));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
  try {
    await migrate(db);
    const peers = fork(import.meta.filename, ["--peers"]);
    children.push(peers);
    const [ports] = await once(peers, "message");
    await addServers(db, ports);
    const poller = startPoller(url);
    children.push(poller);
    return await watch(db, poller);
  } finally {
    await Promise.all(children.map(end));
  }
}

async function addServers(db: Knex, ports: number[]): Promise<void> {
  const rows = ports.map((port, index) => ({
    ...{ id: `${MOODS[index]}-${index}`, name: `Server ${index}`, address: `127.0.0.1:${port}` },
    ...{ adapter: "gamedig", adapter_options: { type: "gtasam" } },
  }));
  await db("servers").insert(rows);
}

function startPoller(url: string): ChildProcess {
  const main = path.join(import.meta.dirname, "../src/main.ts");
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: url,
    POLL_INTERVAL_S: String(intervalS),
    PRIVATE_ADDRESSES: "127.0.0.1",
    LOG_LEVEL: "warn",
  };
  return spawn(process.execPath, [main, "poll"], {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

async function watch(db: Knex, poller: ChildProcess): Promise<boolean> {
  await untilSlot(db, await firstFullSlot(db));
  const first = Math.floor((await clock(db)) / intervalS);
  const memory: number[] = [];
  let longest = 0;
  console.log("interval  records  healthy  round s  false offline  false unknown  RSS MB");
  for (let round = 0; round < rounds; round++) {
    await untilSlot(db, first + round + 1);
    const { records, healthy, took, offline, unknown } = await roundOf(db, first + round);
    memory.push(await megabytes(poller));
    longest = Math.max(longest, took);
    const figures = [round + 1, records, healthy, took.toFixed(1), offline, unknown, memory.at(-1)];
    console.log(figures.map((figure) => String(figure).padStart(8)).join(" "));
  }
  return judge(await gapsOf(db, first), longest, memory);
}

/** The slot after that in which every server that can answer was found online. */
async function firstFullSlot(db: Knex): Promise<number> {
  const waiting = () =>
    db("servers").whereLike("id", "healthy%").whereNull("last_online_at").count("* as count");
  for (;;) {
    const [{ count = 1 } = {}] = await waiting();
    if (Number(count) === 0) return Math.floor((await clock(db)) / intervalS) + 1;
    await delay(500);
  }
}

async function untilSlot(db: Knex, slot: number): Promise<void> {
  while ((await clock(db)) < slot * intervalS) await delay(200);
}

async function clock(db: Knex): Promise<number> {
  const { rows } = await db.raw("select extract(epoch from clock_timestamp())::double precision as now");
  return rows[0].now;
}

async function roundOf(db: Knex, slot: number) {
  const { rows } = await db.raw(
    `select count(*)::int as records,
            count(*) filter (where s.id like 'healthy%')::int as healthy,
            count(*) filter (where s.id like 'healthy%' and r.status = 'offline')::int as offline,
            count(*) filter (where s.id like 'healthy%' and r.status = 'unknown')::int as unknown,
            coalesce(max(extract(epoch from r.checked_at)) - :start, 0)::double precision as took
       from online_records r join servers s on s.number = r.server_number
      where r.checked_at >= to_timestamp(:start) and r.checked_at < to_timestamp(:stop)`,
    { start: slot * intervalS, stop: (slot + 1) * intervalS },
  );
  return rows[0];
}

/** Intervals without a record of a healthy server, with two of any, and with one that says offline. */
async function gapsOf(db: Knex, first: number): Promise<{ gaps: number; doubles: number; offline: number }> {
  const { rows } = await db.raw(
    `with counted as (
       select s.id, slot.number, count(r.checked_at) as records,
              count(*) filter (where r.status = 'offline') as offline
         from servers s
        cross join generate_series(:first::int, :last::int) as slot (number)
         left join online_records r on r.server_number = s.number
          and r.checked_at >= to_timestamp(slot.number * :interval::float8)
          and r.checked_at < to_timestamp((slot.number + 1) * :interval::float8)
        group by 1, 2)
     select count(*) filter (where id like 'healthy%' and records = 0)::int as gaps,
            count(*) filter (where records > 1)::int as doubles,
            count(*) filter (where id like 'healthy%' and offline > 0)::int as offline
       from counted`,
    { first, last: first + rounds - 1, interval: intervalS },
  );
  return rows[0];
}

function judge(
  { gaps, doubles, offline }: Awaited<ReturnType<typeof gapsOf>>,
  longest: number,
  memory: number[],
) {
  const lastThird = Math.ceil((memory.length * 2) / 3);
  const growth = Math.max(0, ...memory.slice(lastThird)) / Math.max(...memory.slice(0, lastThird));
  const findings: [boolean, string][] = [
    [gaps === 0, `${gaps} of ${HEALTHY * rounds} intervals of healthy servers without a record`],
    [doubles === 0, `${doubles} intervals with two records of one server`],
    [offline === 0, `${offline} false offline`],
    [
      longest < intervalS,
      `the longest round ended ${longest.toFixed(1)} s after the start of its ${intervalS} s`,
    ],
    [growth < FLAT, `peak memory of the last third ${growth.toFixed(2)} times that of the time before`],
  ];
  for (const [isGood, text] of findings) console.log(`${isGood ? "ok " : "BAD"} ${text}`);
  return findings.every(([isGood]) => isGood);
}

async function megabytes({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill();
  await ended;
}
