/**
 * A year of a large site's servers: `node bench/servers-history.ts [--servers 500] [--days 365]`.
 *
 * Fills a throw-away database as a poll a minute would have left it: raw records of the last 48 hours, the rest
 * generated as the roll-up would have made it (five minutes of 14 days, hours and days of all `--days`), because to
 * write a year of minutes takes hours. Then measures what a running site does with it: a roll-up step, the 24 hours of
 * all servers, the pages of one server. Each time is compared with a bare aggregate over the same rows in this run.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import type { Knex } from "knex";
import { createDb } from "../src/db/connect.ts";
import { startEmbeddedPostgres } from "../src/db/embedded/start.ts";
import { migrate } from "../src/db/migrate.ts";
import type { Level } from "../src/servers/history/levels.ts";
import { selectHours } from "../src/servers/history/queries.ts";
import { RANGE_NAMES } from "../src/servers/history/ranges.ts";
import { rollUpHistory, rollUpStep } from "../src/servers/history/roll-up.ts";
import { loadOutages, loadServer, loadServerBoard } from "../src/servers/queries.ts";
import { superuserUrl } from "../test/helpers/superuser.ts";
import { fillServers } from "./servers-history/fill.ts";

const DAY_MS = 86_400_000;
const RUNS = 5;

const { values } = parseArgs({
  options: { servers: { type: "string", default: "500" }, days: { type: "string", default: "365" } },
});
const [servers, days] = [Number(values.servers), Number(values.days)];

const home = await mkdtemp(path.join(tmpdir(), "almanac-bench-"));
const directory = path.join(home, "postgres");
const postgres = await startEmbeddedPostgres({ directory, log: console.error });
// Filling switches the checks of foreign keys off, which takes a superuser.
const db = createDb({ url: await superuserUrl(directory, postgres.url) });
try {
  await migrate(db);
  await timed(`filled with ${servers} servers of ${days} days`, () => db.transaction(fill));
  await db.raw("vacuum analyze");
  await printSizes(db);
  await measureRollUp(db);
  await measureReads(db);
} finally {
  await db.destroy();
  await postgres.stop();
  await rm(home, { recursive: true, force: true });
}

async function fill(db: Knex.Transaction): Promise<void> {
  // Nothing here refers to a server that is not there; to check that for eight million rows takes half of the time.
  await db.raw("set local session_replication_role to replica");
  await fillServers(db, { servers, days });
}

async function printSizes(db: Knex): Promise<void> {
  const { rows } = await db.raw(`
    select parent, sum(rows)::bigint as rows, sum(pg_total_relation_size(part)) / 1e6 as megabytes
      from (select coalesce(inhparent::regclass, oid::regclass)::text as parent, oid::regclass as part,
                   greatest(reltuples, 0) as rows
              from pg_class left join pg_inherits on inhrelid = oid
             where relkind = 'r' and relname ~ '^online_') as parts
     group by 1 order by 3 desc`);
  let total = 0;
  for (const { parent, rows: count, megabytes } of rows) {
    total += Number(megabytes);
    console.log(
      `${parent.padEnd(22)} ${String(count).padStart(10)} rows ${Number(megabytes).toFixed(0).padStart(6)} MB`,
    );
  }
  console.log(`${"all, indexes included".padEnd(40)} ${total.toFixed(0).padStart(6)} MB`);
}

/** A minute's usual work, an hour that was missed, and the longest step of each level. */
async function measureRollUp(db: Knex): Promise<void> {
  const since = (seconds: number) =>
    `date_bin('5 minutes', now() - make_interval(secs => ${seconds}), 'epoch')`;
  const records = (seconds: number) =>
    `select count(*), sum(online), sum(queue) from online_records
      where checked_at >= ${since(seconds)} and checked_at < ${since(0)}`;
  await rollUpHistory(db);
  const steps: [string, Level, string, string][] = [
    ["roll-up of 5 minutes", "five_minutes", since(330), records(330)],
    ["roll-up of an hour of polls", "five_minutes", since(3630), records(3630)],
    ["roll-up of 6 hours of polls", "five_minutes", since(6 * 3600 + 330), records(6 * 3600 + 330)],
    [
      "roll-up of a day's hours",
      "days",
      "date_bin('1 day', now(), 'epoch') - interval '1 day'",
      "select count(*), sum(online_sum) from online_hours where start >= now() - interval '1 day'",
    ],
  ];
  for (const [name, level, from, bare] of steps) {
    const rewind = () => db.raw(`update history_progress set done_until = ${from} where level = ?`, [level]);
    const step = await median(async () => void (await rollUpStep(db, level)), rewind);
    print(name, step, await median(() => db.raw(bare)));
    await rollUpHistory(db);
  }
}

async function measureReads(db: Knex): Promise<void> {
  const bare = (table: string, time: string, since: string, more = "") =>
    median(() =>
      db.raw(
        `select count(*), sum(online${time === "start" ? "_sum" : ""}) from ${table} where ${time} >= now() - interval '${since}' ${more}`,
      ),
    );
  const one = "and server_number = (select number from servers where id = 'server-1')";
  const day = await bare("online_five_minutes", "start", "24 hours");
  print("24 hours of all servers", await median(() => loadServerBoard(db)), day);
  const minutes = await bare("online_records", "checked_at", "24 hours");
  console.log(`  (to add up the raw records of that time alone: ${ms(minutes)})`);
  for (const range of RANGE_NAMES.slice(1)) {
    const level = range === "7d" ? "online_five_minutes" : range === "30d" ? "online_hours" : "online_days";
    const span = { "7d": "7 days", "30d": "30 days", "1y": "365 days", "24h": "1 day" }[range];
    print(
      `${range} of all servers`,
      await median(() => loadServerBoard(db, range)),
      await bare(level, "start", span),
    );
  }
  const from = new Date(Date.now() - days * DAY_MS);
  const hours = await bare("online_hours", "start", "365 days", one);
  print("1-year page of a server", await median(() => loadYearPage(db, from)), hours);
  print("24-hour chart of a server", await median(() => loadServer(db, "server-1")), hours);
}

/** What a server's page asks for. */
async function loadYearPage(db: Knex, from: Date): Promise<void> {
  await Promise.all([
    loadServer(db, "server-1", "1y"),
    selectHours(db, "server-1", 28),
    loadOutages(db, "server-1", from),
  ]);
}

async function median(
  work: () => Promise<unknown>,
  prepare = async (): Promise<unknown> => undefined,
): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    await prepare();
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Number.NaN;
}

async function timed(name: string, work: () => Promise<unknown>): Promise<void> {
  const started = performance.now();
  await work();
  console.log(`${name} in ${((performance.now() - started) / 1000).toFixed(0)} s`);
}

function print(name: string, time: number, baseline: number): void {
  const ratio = (time / baseline).toFixed(1);
  console.log(
    `${name.padEnd(28)} ${ms(time).padStart(9)} = ${ratio} times the bare aggregate (${ms(baseline)})`,
  );
}

function ms(time: number): string {
  return `${time.toFixed(1)} ms`;
}
