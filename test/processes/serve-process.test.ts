import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { createKey, listKeys } from "../../src/accounts/keys/queries.ts";
import { createUser } from "../../src/accounts/queries.ts";
import { createEmptyDatabase, openTransaction, useTestDatabase } from "../helpers/database.ts";
import { freePort } from "../helpers/free-port.ts";
import { startWorker, type WorkerProcess } from "../helpers/worker.ts";

const database = useTestDatabase();

interface Site extends WorkerProcess {
  readonly url: string;
}

/** `almanac serve` as an operator runs it, beside the tests' Postgres. */
async function startSite(env: Record<string, string> = {}): Promise<Site> {
  const port = await freePort();
  const own = { DATABASE_URL: database.url, PORT: String(port), POLL: "1", ...env };
  return { ...startWorker(own, "serve"), url: `http://127.0.0.1:${port}` };
}

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(inject("runFolder"), "data-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A connection of its own for each, as the clients of a load balancer have. */
const ask = (site: Site, path: string) => fetch(site.url + path, { headers: { Connection: "close" } });
const statusOf = async (site: Site, path: string) =>
  ask(site, path).then(
    ({ status }) => status,
    (error) => error.cause?.code ?? String(error),
  );
const seriesOf = async (port: number) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
const isReady = (site: Site) =>
  expect.poll(() => statusOf(site, "/readyz"), { timeout: 60_000, interval: 100 }).toBe(200);
const says = (site: Site, text: string) =>
  expect.poll(() => site.lines.join("\n"), { interval: 50 }).toContain(text);

describe("SIGTERM", { timeout: 120_000 }, () => {
  it("makes a site report that it is not ready, go on answering, then finish what is under way", async () => {
    const site = await startSite({ SHUTDOWN_DELAY_S: "3" });
    await isReady(site);
    const held = await openTransaction(database.db);
    await held.raw("lock table houses in access exclusive mode");
    const underWay = statusOf(site, "/houses");
    const waits = () =>
      database
        .db("pg_stat_activity")
        .where({ wait_event_type: "Lock" })
        .whereRaw("datname = current_database() and query like '%houses%'");
    await expect.poll(async () => (await waits()).length).toBeGreaterThan(0);

    site.child.kill("SIGTERM");
    await says(site, "SIGTERM: not ready any more, still answering for 3 s.");
    expect(await (await ask(site, "/readyz")).json()).toMatchObject({ status: "not ready", stopping: true });
    const page = await fetch(`${site.url}/donate`);
    expect([page.status, page.headers.get("connection")]).toEqual([200, "close"]);
    expect(await statusOf(site, "/healthz")).toBe(200);

    await says(site, "Stopping after SIGTERM");
    await expect.poll(() => statusOf(site, "/healthz"), { interval: 50 }).toBe("ECONNREFUSED");
    await held.rollback();
    expect(await underWay, `signal ${site.child.signalCode}\n${site.lines.join("\n")}`).toBe(200);
    expect(await site.ended).toBe(0);
  });

  it("ends a site at once when it is sent again; with LOG_FORMAT=json each line is JSON, at any LOG_LEVEL", async () => {
    const site = await startSite({ SHUTDOWN_DELAY_S: "300", LOG_FORMAT: "json", LOG_LEVEL: "error" });
    await isReady(site);
    site.child.kill("SIGTERM");
    await says(site, "still answering for 300 s");
    // Within a second it would count as the same, which npm sends twice.
    await delay(1_100);
    site.child.kill("SIGTERM");
    expect(await site.ended).toBe(0);
    expect(site.output).toEqual([]);
    const messages = site.lines.map((line) => JSON.parse(line).msg);
    expect(messages.join("\n")).toContain(site.url);
    expect(messages).toContain("Stopping after SIGTERM: finishing what is under way.");
  });
});

describe("SIGINT", { timeout: 120_000 }, () => {
  it("stops a site without a delay, and has it write the use of keys and count what it did until then", async () => {
    const { db } = database;
    const id = Number(await createUser(db, { name: "key owner", password: "a long enough password" }));
    const key = String(await createKey(db, id, { name: "counted", expiry: "never" }));
    const port = await freePort();
    const site = await startSite({ SHUTDOWN_DELAY_S: "300", METRICS_PORT: String(port) });
    await isReady(site);
    const headers = { "X-API-Key": key, Connection: "close" };
    for (const _time of [1, 2, 3]) {
      expect((await fetch(`${site.url}/api/online`, { headers })).status).toBe(200);
    }
    const text = await seriesOf(port);
    expect(text).toMatch(/^almanac_database_up 1$/m);
    expect(text).toMatch(/^almanac_database_connections\{pool="requests",state="(used|free)"\} \d+$/m);
    expect(text).toMatch(/^almanac_search_ready\{kind="items"\} 1$/m);
    expect(text).toMatch(
      /^almanac_background_last_done_timestamp_seconds\{loop="notice catalogue changes"\} /m,
    );
    expect(text).toMatch(/^almanac_http_requests_total\{method="GET",route="\/readyz",status="200"\} /m);
    expect((await fetch(`http://127.0.0.1:${port}/items`)).status).toBe(404);
    expect(await statusOf(site, "/metrics")).toBe(404);

    expect((await listKeys(db, id))[0]).toMatchObject({ requests: 0 });
    site.child.kill("SIGINT");
    expect(await site.ended).toBe(0);
    expect((await listKeys(db, id))[0]).toMatchObject({ requests: 3, last_used_at: expect.any(Date) });
  });
});

describe("the unit for systemd", () => {
  const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
  const unit = read("deploy/almanac.service");

  it("runs node as npm start does, and signals it alone", () => {
    const command = /^Environment=.* COMMAND=(.+)$/m.exec(unit)?.[1];
    const line = /^ExecStart=(.+)$/m.exec(unit)?.[1]?.replace("$COMMAND", command ?? "");
    expect(line).toBe(`/usr/bin/env ${JSON.parse(read("package.json")).scripts.start}`);
    // npm looks for programs in this folder first, too.
    const folder = /^WorkingDirectory=(.+)$/m.exec(unit)?.[1];
    expect(unit).toContain(`\nEnvironment=PATH=${folder}/node_modules/.bin:`);
    expect(unit).toMatch(/^KillMode=mixed$/m);
  });
});

describe("a start that fails once the database is open", { timeout: 120_000 }, () => {
  const broken = `
    import zlib from "node:zlib";
    import { syncBuiltinESMExports } from "node:module";
    zlib.brotliCompress = (...args) => args.at(-1)(new Error("nothing can be compressed"));
    syncBuiltinESMExports();`;
  const preload = `--import=data:text/javascript,${encodeURIComponent(broken)}`;
  /** A start that kept its assets would have nothing to compress. */
  const withoutAssets = async () => ({ NODE_OPTIONS: preload, DATA_DIR: await emptyFolder() });

  it("has its reason as a fatal message, and JSON alone, with LOG_FORMAT=json", async () => {
    const empty = await createEmptyDatabase();
    onTestFinished(() => empty.drop());
    const { lines, ended } = startWorker({ DATABASE_URL: empty.url, LOG_FORMAT: "json" });
    expect(await ended).toBe(1);
    const messages = lines.map((line) => JSON.parse(line));
    for (const message of messages) expect(message).toHaveProperty("msg");
    expect(messages.at(-1)).toMatchObject({ level: 60, msg: expect.stringMatching(/^almanac: /) });
  });

  it("prints the password of the operator that it made", async () => {
    const empty = await createEmptyDatabase();
    onTestFinished(() => empty.drop());
    const first = { DATABASE_URL: empty.url, MIGRATE_ON_START: "1", DEMO_DATA: "1" };
    const site = await startSite({ ...first, ...(await withoutAssets()) });
    expect(await site.ended).toBe(1);
    expect(site.output).toEqual([expect.stringMatching(/^Log in: operator with the password \S+ /)]);
  });

  it("closes the database and ends", async () => {
    const site = await startSite({ ...(await withoutAssets()), LOG_LEVEL: "debug" });
    expect(await site.ended).toBe(1);
    const output = site.lines.join("\n");
    expect(output).toContain("serve failed: Error: nothing can be compressed");
    expect(output).not.toMatch(/background run failed|cannot follow the database|polling: could not/);
  });
});

describe("METRICS_PORT", { timeout: 120_000 }, () => {
  it("of the commands worker and poll has their work", async () => {
    const works = async (command: string) => {
      const port = await freePort();
      const own = { DATABASE_URL: database.url, METRICS_PORT: String(port), POLL_INTERVAL_S: "10" };
      const worker = startWorker(own, command);
      await expect
        .poll(() => seriesOf(port).catch(() => ""), { interval: 100 })
        .toMatch(/^almanac_jobs_due \d/m);
      worker.child.kill("SIGINT");
      expect([command, await worker.ended]).toEqual([command, 0]);
    };
    await Promise.all(["worker", "poll"].map(works));
  });

  it("that is in use stops the start with a line that names it", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const site = await startSite({ METRICS_PORT: String(port) });
    expect(await site.ended).not.toBe(0);
    expect(site.lines.join("\n")).toContain(`METRICS_PORT: ${port} is in use on 127.0.0.1`);
    taken.close();
  });
});
