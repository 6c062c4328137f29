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
import type { ChildProcess } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Knex } from "knex";
import type pg from "pg";
import { createDb } from "../src/db/connect.ts";
import { migrate } from "../src/db/migrate.ts";
import { freePort } from "../test/helpers/free-port.ts";
import { addWriteKey } from "../test/helpers/write-keys.ts";
import { type MovableClock, makeMovableClock } from "./faults/clock.ts";
import { type LoadOptions, startLoad, type Told } from "./faults/load.ts";
import {
  type BadlyTreatedPostgres,
  connect,
  fillVolume,
  signalAll,
  withPostgres,
} from "./faults/postgres.ts";
import { tableOf } from "./report.ts";
import { end, enter, fillDemo, startProcess, withFolder } from "./site.ts";

const { values } = parseArgs({
  options: { only: { type: "string", default: "" }, seconds: { type: "string", default: "10" } },
});
const FAULT_MS = Number(values.seconds) * 1000;
const BEFORE_MS = 5_000;
const AFTER_MS = 10_000;
const MARKED_AT_MOST = 5_000;
const READY_MS = 180_000;
/** As `Restart=always` with `RestartSec=1` has it. */
const RESTART_MS = 1_000;
const HEAD = "fault,requests,good,503,failed,longest outage,writes,lost,doubled,restarts".split(",");

interface Setting {
  readonly postgres: BadlyTreatedPostgres;
  /** The clock of Postgres and of the processes. */
  readonly clock: MovableClock | undefined;
  readonly processes: Record<"web" | "otherWeb" | "worker" | "poller", KeptProcess>;
}

/** What is done, and undone by the end of the promise. */
const FAULTS: Readonly<Record<string, (setting: Setting) => Promise<unknown>>> = {
  "a process that serves killed": async ({ processes }) => processes.web.kill(),
  "the worker killed": async ({ processes }) => processes.worker.kill(),
  "the poller killed": async ({ processes }) => processes.poller.kill(),
  "Postgres restarted": async ({ postgres }) => {
    // Postgres ends at once at this signal, with what it has written.
    await postgres.kill("SIGINT");
    await postgres.start();
  },
  "Postgres killed, started after a while": async ({ postgres }) => {
    await postgres.kill();
    await pause(FAULT_MS);
    await postgres.start();
  },
  "Postgres paused for 20 s": async ({ postgres }) => {
    await signalAll(postgres, "SIGSTOP");
    await pause(20_000);
    await signalAll(postgres, "SIGCONT");
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
  "the disk full": async ({ postgres: { volume } }) => {
    if (volume === undefined) throw new Error("a full disk needs root, to make a small volume");
    const makeRoom = await fillVolume(volume);
    await pause(FAULT_MS);
    await makeRoom();
  },
  "the clock an hour ahead": (setting) => moveClock(setting, 3600),
  "the clock an hour behind": (setting) => moveClock(setting, -3600),
};

/** A process of the site that is started again whenever it ends. */
class KeptProcess {
  /** How often it ended by itself or was killed. */
  ends = 0;
  readonly #start: () => ChildProcess;
  #child: ChildProcess;
  #isOver = false;

  constructor(command: string, env: NodeJS.ProcessEnv) {
    this.#start = () => {
      const child = startProcess([command], env);
      child.stdout?.resume();
      child.once("exit", async () => {
        this.ends += 1;
        await pause(RESTART_MS);
        if (!this.#isOver) this.#child = this.#start();
      });
      return child;
    };
    this.#child = this.#start();
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await end(this.#child);
  }
}

await withSetting(async (setting, options, db) => {
  console.log(tableOf([HEAD]));
  for (const [number, [name, make]] of Object.entries(FAULTS).entries()) {
    if (!name.includes(values.only)) continue;
    const before = endsOf(setting);
    const stopLoad = startLoad(options, `fault-${number}`);
    await pause(BEFORE_MS);
    await make(setting);
    await pause(AFTER_MS);
    const told = await stopLoad();
    await untilReady(options.ports);
    const { requests, good, refused, longestOutageMs, records, marks } = told;
    const failed = [...told.failed].map(([how, count]) => `${count} × ${how}`).join(", ") || 0;
    const outage = `${(longestOutageMs / 1000).toFixed(1)} s`;
    const writes = records.length + marks.length;
    const judged = [...(await judge(db, told)), endsOf(setting) - before];
    console.log(`| ${[name, requests, good, refused, failed, outage, writes, ...judged].join(" | ")} |`);
  }
});

function endsOf({ processes }: Setting): number {
  return Object.values(processes).reduce((sum, { ends }) => sum + ends, 0);
}

/** Acknowledged writes that are not there, and records that were written twice: a new one has no revision. */
async function judge(db: Knex, { records, marks }: Told): Promise<[lost: number, doubled: number]> {
  const there = await db("items").whereIn("id", records).pluck("id");
  const kept = await db("entity_favorites").whereIn("item_id", marks).pluck("item_id");
  const twice = await db("catalogue_revisions")
    .where({ kind: "items" })
    .whereIn("entry_id", records)
    .pluck("entry_id");
  return [records.length - there.length + marks.length - kept.length, twice.length];
}

async function setReadOnly(postgres: BadlyTreatedPostgres, value: "on" | "off"): Promise<void> {
  // In a session that may write whatever the default is.
  const client = await connect(postgres);
  await client.query("set default_transaction_read_only to off");
  await client.query(`alter system set default_transaction_read_only to ${value}`);
  await client.query("select pg_reload_conf()");
  await client.end();
}

async function moveClock({ clock, postgres }: Setting, seconds: number): Promise<void> {
  if (clock === undefined) throw new Error("a clock that is moved needs Debian's libfaketime");
  await clock.move(seconds);
  await pause(FAULT_MS);
  const client = await connect(postgres);
  const { rows } = await client.query("select extract(epoch from now())::float8 as now");
  await client.end();
  if (Math.abs(rows[0].now - Date.now() / 1000) < 3000) throw new Error("no clock was moved");
  await clock.move(0);
}

/** All that are left for those who are no superusers; those of the site are ended, so that it has none either. */
async function takeConnections(postgres: BadlyTreatedPostgres): Promise<pg.Client[]> {
  const clients: pg.Client[] = [];
  const first = await connect(postgres);
  clients.push(first);
  await first.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'almanac%' and pid <> pg_backend_pid()",
  );
  for (;;) {
    const client = await connect(postgres).catch(() => undefined);
    if (!client) return clients;
    clients.push(client);
  }
}

async function withSetting(
  work: (setting: Setting, options: LoadOptions, db: Knex) => Promise<void>,
): Promise<void> {
  await withFolder((home) =>
    withFolder(async (directory) => {
      const clock = await makeMovableClock(directory);
      await withPostgres(home, clock?.env ?? {}, async (postgres) => {
        const db = createDb({ url: postgres.url, poolMax: 2 });
        const env = {
          ...clock?.env,
          DATABASE_URL: postgres.url,
          DATABASE_POOL: "5",
          DATA_DIR: directory,
          LOG_LEVEL: "fatal",
          SESSION_SECRET: "a session secret that only this bench knows",
        };
        const ports = [await freePort(), await freePort()];
        const [port = 0, otherPort = 0] = ports;
        const serving = { ...env, WORKER: "0", POLL: "0" };
        let processes: Setting["processes"] | undefined;
        try {
          await migrate(db);
          const login = await fillDemo(db, MARKED_AT_MOST);
          const operator = await db("users").where({ name: login.name }).first("id");
          const { key } = await addWriteKey(db, operator.id);
          processes = {
            web: new KeptProcess("serve", { ...serving, PORT: `${port}` }),
            otherWeb: new KeptProcess("serve", { ...serving, PORT: `${otherPort}` }),
            worker: new KeptProcess("worker", env),
            poller: new KeptProcess("poll", env),
          };
          await untilReady(ports);
          const cookie = await enter(`http://127.0.0.1:${port}`, "/login", login);
          await work({ postgres, clock, processes }, { ports, key, cookie }, db);
        } finally {
          await Promise.all(Object.values(processes ?? {}).map((each) => each.stop()));
          await db.destroy();
        }
      });
    }),
  );
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
