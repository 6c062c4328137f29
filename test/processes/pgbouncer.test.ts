import { setTimeout as delay } from "node:timers/promises";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createUser } from "../../src/accounts/queries.ts";
import { createDb, openConnection } from "../../src/db/connect.ts";
import { takePollLock } from "../../src/servers/poller/poll.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { useCli } from "../helpers/cli.ts";
import {
  createEmptyDatabase,
  openTransaction,
  type TestDatabase,
  useTestDatabase,
} from "../helpers/database.ts";
import { freePort } from "../helpers/free-port.ts";
import { type SmtpPeer, startSmtpPeer } from "../helpers/peers/smtp.ts";
import { type PgBouncer, startPgBouncer } from "../helpers/pgbouncer.ts";
import { startReaders } from "../helpers/steady-readers.ts";
import { startWorker, type WorkerProcess } from "../helpers/worker.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

const database = useTestDatabase();
const cli = useCli();
const POOL = 3;
const PASSWORD = "correct horse battery";

let empty: TestDatabase;
let pooler: PgBouncer;
beforeAll(async () => {
  empty = await createEmptyDatabase();
  pooler = await startPgBouncer([database.url, empty.url], POOL);
  await insertRecords(database.db, "items", [{ id: "gun", name: "Gun" }]);
});
afterAll(async () => {
  await pooler?.remove();
  await empty?.drop();
});

/** Settings for the site through the pooler. */
const through = (direct = database.url) => ({
  DATABASE_URL: pooler.url(direct),
  DATABASE_DIRECT_URL: direct,
});

interface Running extends WorkerProcess {
  readonly url: string;
}

/** `almanac serve` as an operator runs it behind the pooler. */
async function startSite(env: Record<string, string> = {}, ...args: string[]): Promise<Running> {
  const port = await freePort();
  const own = { ...through(), PORT: String(port), SHUTDOWN_DELAY_S: "0", ...env };
  const site = { ...startWorker(own, "serve", ...args), url: `http://127.0.0.1:${port}` };
  await expect.poll(() => statusOf(site, "/readyz"), { timeout: 60_000, interval: 100 }).toBe(200);
  return site;
}

const statusOf = async ({ url }: Running, path: string) =>
  fetch(url + path, { headers: { Connection: "close" } }).then(
    ({ status }) => status,
    () => "refused",
  );

/** Locks that last longer than a transaction, on connections that nobody uses. */
async function leakedLocks(db = database.db): Promise<number> {
  const { rows } = await db.raw(
    `select count(*)::int as count from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and state = 'idle' and datname = current_database()`,
  );
  return rows[0].count;
}

describe("migrate through PgBouncer", () => {
  it("works three times in a row, and leaves no lock behind", async () => {
    for (let run = 0; run < 3; run++) {
      expect([await cli.run(through(empty.url), "migrate"), cli.err]).toEqual([
        0,
        expect.stringMatching(/^\d+ applied\.\n$/),
      ]);
      expect(await leakedLocks(empty.db)).toBe(0);
      // Something to do for the next one, which wants the lock for it.
      await empty.db("graphile_worker.migrations").where({ id: 19 }).delete();
    }
  });
});

describe("the site through PgBouncer", () => {
  it("does everything that it does without, before and after PgBouncer is down", {
    timeout: 240_000,
  }, async () => {
    const smtp = await startSmtpPeer();
    onTestFinished(() => smtp.stop());
    const site = await startSite({ SMTP_URL: smtp.url(), POLL: "1", POLL_INTERVAL_S: "10" });
    await doesManyThingsAtOnce(site, smtp);
    await hasTheServerEndStatements(site);
    await goesOnAfterARestart(site);
    await pollsByALockThatEndsWithIt(site);
  });

  /** It registers, mails, logs in, shows a page, searches and writes. */
  async function doesManyThingsAtOnce(site: Running, smtp: SmtpPeer) {
    const people = Array.from({ length: 8 }, (_, n) => ({
      name: `Person ${n}`,
      email: `p${n}@example.org`,
    }));
    const form = (path: string, fields: object) =>
      request.agent(site.url).post(path).type("form").send(fields);
    // Some at a time: a password takes a while to hash.
    for (let n = 0; n < people.length; n += 4)
      await Promise.all(
        people
          .slice(n, n + 4)
          .map((person) => form("/register", { ...person, password: PASSWORD }).expect(303)),
      );
    for (let n = 0; n < people.length; n += 4)
      await Promise.all(
        people.slice(n, n + 4).map(({ name }) => form("/login", { name, password: PASSWORD }).expect(303)),
      );
    await expect.poll(() => smtp.mails.length).toBe(people.length);
    await request(site.url).get("/items/gun").expect(200, /Gun/);
    await request(site.url)
      .get("/search?q=gun")
      .expect(200, /items\/gun/);

    const writer = Number(await createUser(database.db, { name: "writer", password: PASSWORD }));
    const { key } = await addWriteKey(database.db, writer);
    const write = (n: number) =>
      request(site.url)
        .put(`/api/items/new-${n}`)
        .set("X-API-Key", key)
        .send({ name: `Newcomer ${n}` });
    const written = await Promise.all(Array.from({ length: 10 }, (_, n) => write(n)));
    expect(written.map(({ status }) => status)).toEqual(Array(10).fill(201));
    const found = async () => (await request(site.url).get("/api/search?q=newcomer")).text;
    await expect.poll(found).toContain("new-9");
    // Requests did take this way.
    const pooled = database.db("pg_stat_activity").where({ application_name: "almanac pooled" });
    expect((await pooled).length).toBeGreaterThan(0);
    expect((await pooled).length).toBeLessThanOrEqual(POOL);
  }

  async function hasTheServerEndStatements(site: Running) {
    const held = await openTransaction(database.db);
    await held.raw("lock table items in access exclusive mode");
    // The site's own work waits for the table too, for longer.
    const requests = { wait_event_type: "Lock", application_name: "almanac pooled" };
    const waiting = async () => (await database.db("pg_stat_activity").where(requests)).length;
    const answer = statusOf(site, "/compare/items?id=none");
    await expect.poll(waiting, { interval: 20 }).toBeGreaterThan(0);
    expect(await answer).toBe(503);
    // The connection that was closed on the client's side would not end it.
    await expect.poll(waiting, { interval: 50 }).toBe(0);
    await held.rollback();
  }

  it("gives every transaction the same settings", async () => {
    const db = createDb({ url: pooler.url(database.url), isPooled: true, pipeline: true, poolMax: 20 });
    onTestFinished(() => db.destroy());
    const ask = async () =>
      (
        await db.raw(
          `select current_setting('TimeZone') || current_setting('jit') || current_setting('statement_timeout') as all,
                  pg_backend_pid() as pid, pg_sleep(0.01)`,
        )
      ).rows[0];
    const answers = await Promise.all(Array.from({ length: 60 }, ask));
    expect(new Set(answers.map(({ all }) => all))).toEqual(new Set(["UTCoff1200ms"]));
    expect(new Set(answers.map(({ pid }) => pid)).size).toBeGreaterThan(1);
    await expect(db.raw("select pg_sleep(5)")).rejects.toMatchObject({ code: "57014" });
    await expect(openConnection(db)).rejects.toThrow("wants a direct connection");
  });

  async function pollsByALockThatEndsWithIt(site: Running) {
    await expect.poll(() => site.lines.join("\n")).toContain("polling the servers");
    expect(await takePollLock(database.db)).toBeNull();
    site.child.kill("SIGKILL");
    await site.ended;
    let lock: Awaited<ReturnType<typeof takePollLock>> = null;
    await expect
      .poll(async () => {
        lock ??= await takePollLock(database.db);
        return lock !== null;
      })
      .toBe(true);
    await (lock as { release(): Promise<void> } | null)?.release();
  }

  it("fails no request while SIGHUP replaces the processes of serve --processes", {
    timeout: 240_000,
  }, async () => {
    const site = await startSite({ PAGE_LIMIT: "0", SHUTDOWN_DELAY_S: "1" }, "--processes", "2");
    const says = (text: string) =>
      expect.poll(() => site.lines.join("\n"), { timeout: 90_000, interval: 100 }).toContain(text);
    await says("2 processes answer.");
    const readers = startReaders(site.url, ["/readyz", "/items/gun", "/servers"], 50);
    site.child.kill("SIGHUP");
    await says("All processes are replaced.");
    const ends = await readers.stop();
    expect(Object.keys(ends)).toEqual(["200"]);
    expect(ends["200"]).toBeGreaterThan(50);
    const fields = { name: "Among processes", password: PASSWORD };
    await request(site.url).post("/register").type("form").send(fields).expect(303);
    expect(await leakedLocks()).toBe(0);
  });

  async function goesOnAfterARestart(site: Running) {
    expect(await statusOf(site, "/items?q=before")).toBe(200);
    await pooler.stop();
    await expect.poll(() => statusOf(site, "/items?q=meanwhile"), { interval: 100 }).toBe(503);
    // Until the site has given up asking for each request.
    await delay(2_000);
    await pooler.start();
    await expect.poll(() => statusOf(site, "/items?q=after"), { interval: 100 }).toBe(200);
    const fields = { name: "After the restart", password: PASSWORD };
    await request(site.url).post("/register").type("form").send(fields).expect(303);
    expect(site.child.exitCode).toBeNull();
  }
});

describe("PgBouncer that is not as its lines in the documents", () => {
  const run = async (command: string, env: Record<string, string>) => {
    const code = await cli.run({ PORT: "0", ...env }, command);
    return [code, ...cli.err.trimEnd().split("\n")];
  };

  it("stops a command with one line, and doctor names the fault", async () => {
    const url = pooler.url(database.url);
    const plain = pooler.plainUrl(database.url, "transaction");
    const wrong = {
      noDirectUrl: { DATABASE_URL: url },
      twice: { DATABASE_URL: url, DATABASE_DIRECT_URL: plain },
      settings: { ...through(), DATABASE_URL: plain },
      otherDatabase: { ...through(), DATABASE_URL: pooler.url(empty.url) },
    };
    const transactions =
      /DATABASE_URL leads to a pooler in transaction mode.*: set DATABASE_DIRECT_URL to the address of the Postgres server/;
    const missing = /statement_timeout 0; requests need UTC, off and 1200: see docs\/operate\.md/;
    const refused = (reason: RegExp) => [1, expect.stringMatching(reason)];
    expect(await run("serve", wrong.noDirectUrl)).toEqual(refused(transactions));
    expect(await run("migrate", wrong.noDirectUrl)).toEqual(refused(transactions));
    expect(await run("migrate", wrong.twice)).toEqual(refused(/DATABASE_DIRECT_URL leads to a pooler/));
    expect(await run("serve", wrong.settings)).toEqual(refused(missing));
    expect(await run("serve", wrong.otherDatabase)).toEqual(refused(/lead to different databases/));

    expect(await cli.run(wrong.noDirectUrl, "doctor")).toBe(1);
    expect(cli.out.split("\n").filter((line) => transactions.test(line))).toHaveLength(1);
    expect(await cli.run(wrong.settings, "doctor")).toBe(1);
    expect(cli.out).toMatch(/^bad +pooler: The pooler at DATABASE_URL gives connections with/m);
    await cli.run(through(), "doctor");
    expect(cli.out).toMatch(/^ok +requests go through the pooler at DATABASE_URL/m);
  });
});

describe("PgBouncer in session mode", () => {
  it("serves pages as without a pooler", async () => {
    const site = await startSite({
      DATABASE_URL: pooler.plainUrl(database.url, "session"),
      DATABASE_DIRECT_URL: "",
    });
    expect(await statusOf(site, "/items?q=sessions")).toBe(200);
  });
});
