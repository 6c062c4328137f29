/**
 * Breaks the parts of a site one by one, and reports what visitors see and whether an acknowledged write is lost.
 *
 * Two serving processes, a worker and a poller run on one Postgres and are restarted whenever they end. They get 50
 * reads and 5 writes a second: pages, searches, the API by key, a logged-in user, records by PUT, favorites. Each
 * fault begins after 5 seconds and lasts for `--seconds` or as long as it needs; the load goes on for 10 seconds
 * afterwards. Then the bench looks for each acknowledged write in the database. `--only` selects faults whose names
 * contain a text. A full disk needs root, to mount a small volume; moved clocks need libfaketime.
 *
 * Usage:
 *   node bench/faults.ts [--only postgres] [--seconds 10]
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Knex } from "knex";
import type pg from "pg";
import { loadDemo } from "../src/commands/demo/load.ts";
import { createDb } from "../src/db/connect.ts";
import { migrate } from "../src/db/migrate.ts";
import { freePort } from "../test/helpers/free-port.ts";
import { addWriteKey } from "../test/helpers/write-keys.ts";
import { type MovableClock, makeMovableClock } from "./faults/clock.ts";
import { Load, type LoadOptions, type Told } from "./faults/load.ts";
import { BadlyTreatedPostgres, fillVolume } from "./faults/postgres.ts";
import { KeptProcess } from "./faults/processes.ts";
import { WITHOUT_LIMITS } from "./site.ts";
import { addItems } from "./starvation/site.ts";

const { values } = parseArgs({
  options: { only: { type: "string", default: "" }, seconds: { type: "string", default: "10" } },
});
const FAULT_MS = Number(values.seconds) * 1000;
const BEFORE_MS = 5_000;
const AFTER_MS = 10_000;
const MARKED_AT_MOST = 5_000;
const READY_MS = 60_000;

interface Setting {
  readonly postgres: BadlyTreatedPostgres;
  readonly volume: string | undefined;
  /** The clock of Postgres and of the processes. */
  readonly clock: MovableClock | undefined;
  readonly processes: Record<"web" | "otherWeb" | "worker" | "poller", KeptProcess>;
}

/** What is done, and undone by the end of the promise. */
const FAULTS: Readonly<Record<string, (setting: Setting) => Promise<unknown>>> = {
  "a process that serves killed": async ({ processes }) => processes.web.kill(),
  "the worker killed": async ({ processes }) => processes.worker.kill(),
  "the poller killed": async ({ processes }) => processes.poller.kill(),
  "Postgres restarted": ({ postgres }) => postgres.restart(),
  "Postgres killed, started after a while": async ({ postgres }) => {
    await postgres.kill();
    await pause(FAULT_MS);
    await postgres.start();
  },
  "Postgres paused for 20 s": async ({ postgres }) => {
    await postgres.signal("SIGSTOP");
    await pause(20_000);
    await postgres.signal("SIGCONT");
  },
  "Postgres read-only": async ({ postgres }) => {
    await setReadOnly(postgres, "on");
    await pause(FAULT_MS);
    await setReadOnly(postgres, "off");
  },
  "Postgres out of connections": async ({ postgres }) => {
    const clients = await takeConnections(postgres);
    await pause(FAULT_MS);
    await Promise.all(clients.map((client) => client.end()));
  },
  "the disk full": async ({ volume }) => {
    if (volume === undefined) throw new Error("a full disk needs root, to make a small volume");
    const makeRoom = await fillVolume(volume);
    await pause(FAULT_MS);
    await makeRoom();
  },
  "the clock an hour ahead": (setting) => moveClock(setting, 3600),
  "the clock an hour behind": (setting) => moveClock(setting, -3600),
};

await withSetting(async (setting, options, db) => {
  console.log(
    "| fault | requests | good | 503 | failed | longest outage | writes | lost | doubled | restarts |",
  );
  console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
  let number = 0;
  for (const [name, make] of Object.entries(FAULTS)) {
    if (!name.includes(values.only)) continue;
    number += 1;
    const before = endsOf(setting);
    const load = new Load(options, `fault-${number}`);
    load.start();
    await pause(BEFORE_MS);
    await make(setting);
    await pause(AFTER_MS);
    const told = await load.stop();
    await untilReady(options.ports);
    console.log(rowOf(name, told, { ...(await judge(db, told)), restarts: endsOf(setting) - before }));
  }
});

function endsOf({ processes }: Setting): number {
  return Object.values(processes).reduce((sum, { ends }) => sum + ends, 0);
}

function rowOf(
  name: string,
  told: Told,
  { lost, doubled, restarts }: { lost: number; doubled: number; restarts: number },
): string {
  const failed = [...told.failed].map(([how, count]) => `${count} × ${how}`).join(", ") || 0;
  const outage = `${(told.longestOutageMs / 1000).toFixed(1)} s`;
  const writes = told.records.length + told.marks.length;
  const cells = [
    name,
    told.requests,
    told.good,
    told.refused,
    failed,
    outage,
    writes,
    lost,
    doubled,
    restarts,
  ];
  return `| ${cells.join(" | ")} |`;
}

/** Acknowledged writes that are not there, and records that were written twice: a new one has no revision. */
async function judge(db: Knex, { records, marks }: Told): Promise<{ lost: number; doubled: number }> {
  const there = await db("items").whereIn("id", records).pluck("id");
  const kept = await db("entity_favorites").whereIn("item_id", marks).pluck("item_id");
  const twice = await db("catalogue_revisions")
    .where({ kind: "items" })
    .whereIn("entry_id", records)
    .pluck("entry_id");
  return { lost: records.length - there.length + marks.length - kept.length, doubled: twice.length };
}

async function setReadOnly(postgres: BadlyTreatedPostgres, value: "on" | "off"): Promise<void> {
  // In a session that may write whatever the default is.
  const client = await postgres.connect();
  await client.query("set default_transaction_read_only to off");
  await client.query(`alter system set default_transaction_read_only to ${value}`);
  await client.query("select pg_reload_conf()");
  await client.end();
}

async function moveClock({ clock, postgres }: Setting, seconds: number): Promise<void> {
  if (clock === undefined) throw new Error("a clock that is moved needs Debian's libfaketime");
  await clock.move(seconds);
  await pause(FAULT_MS);
  const moved =
    "select from (select now() - to_timestamp($1) as by) as clock where by > '50 min' or by < '-50 min'";
  if ((await postgres.ask(moved, [Date.now() / 1000])).length === 0) throw new Error("no clock was moved");
  await clock.move(0);
}

/** All that are left for those who are no superusers; those of the site are ended, so that it has none either. */
async function takeConnections(postgres: BadlyTreatedPostgres): Promise<pg.Client[]> {
  const clients: pg.Client[] = [];
  await postgres.ask(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'almanac%' and pid <> pg_backend_pid()",
  );
  for (;;) {
    const client = await postgres.connect().catch(() => undefined);
    if (!client) return clients;
    clients.push(client);
  }
}

async function withSetting(
  work: (setting: Setting, options: LoadOptions, db: Knex) => Promise<void>,
): Promise<void> {
  const clock = await makeMovableClock();
  const { postgres, volume, remove } = await BadlyTreatedPostgres.make(clock?.env);
  const directory = await mkdtemp(path.join(tmpdir(), "almanac-faults-"));
  const db = createDb({ url: postgres.url, poolMax: 2 });
  const env = {
    ...clock?.env,
    ...WITHOUT_LIMITS,
    DATABASE_URL: postgres.url,
    DATABASE_POOL: "5",
    DATA_DIR: directory,
    LOG_LEVEL: "fatal",
    SESSION_SECRET: "a session secret that only this bench knows",
  };
  const ports = [await freePort(), await freePort()];
  const serve = (port = 0) =>
    new KeptProcess(["serve"], { ...env, PORT: String(port), WORKER: "0", POLL: "0" });
  let processes: Setting["processes"] | undefined;
  try {
    await migrate(db);
    const login = await loadDemo(db);
    if (!login) throw new Error("the demo data came without its operator");
    await addItems(db, MARKED_AT_MOST);
    const operator = await db("users").where({ name: login.name }).first("id");
    const { key } = await addWriteKey(db, operator.id);
    processes = {
      web: serve(ports[0]),
      otherWeb: serve(ports[1]),
      worker: new KeptProcess(["worker"], env),
      poller: new KeptProcess(["poll"], env),
    };
    await untilReady(ports);
    const body = new URLSearchParams({ name: login.name, password: login.password });
    const entered = await fetch(`http://127.0.0.1:${ports[0]}/login`, {
      method: "POST",
      body,
      redirect: "manual",
    });
    const cookie = entered.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    await work({ postgres, volume, clock, processes }, { ports, key, cookie, reads: 50, writes: 5 }, db);
  } finally {
    await Promise.all(Object.values(processes ?? {}).map((each) => each.stop()));
    await db.destroy();
    await remove();
    await clock?.remove();
    await rm(directory, { recursive: true, force: true });
  }
}

async function untilReady(ports: readonly number[]): Promise<void> {
  const deadline = performance.now() + READY_MS;
  for (const port of ports) {
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    while (!(await isReady())) {
      if (performance.now() > deadline) throw new Error(`the process at ${port} did not get ready`);
      await pause(100);
    }
  }
}
