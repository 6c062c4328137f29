import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { insertRecords } from "../helpers/catalogue.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { freePort } from "../helpers/free-port.ts";
import { startSilentProxy } from "../helpers/peers/silent-proxy.ts";
import { untilReady } from "../helpers/sites.ts";
import { startReaders } from "../helpers/steady-readers.ts";
import { ROOT, startRelease, type WorkerProcess } from "../helpers/worker.ts";

const database = useTestDatabase();
const DOCS = new URL("../../docs/operate.md", import.meta.url);
const PER_SECOND = 50;
const PATHS = ["/en/items/gun", "/en/servers", "/api/search?q=gun", "/items.rss"];

/** `almanac serve` as an operator runs it behind a load balancer. */
function startSite(port: number, databaseUrl: string, root = ROOT): WorkerProcess {
  const env = { DATABASE_URL: databaseUrl, PORT: String(port), HOST: "127.0.0.1", TRUST_PROXY: "1" };
  const quiet = { WORKER: "0", POLL: "0", LOG_LEVEL: "error" };
  const unlimited = { PAGE_LIMIT: "0", API_ADDRESS_LIMIT: "0" };
  return startRelease(root, { ...env, ...quiet, ...unlimited, MIGRATE_ON_START: "1" }, "serve");
}

/** A release that has one migration more, which adds what nobody knows yet, as a release is to do it. */
async function makeNextRelease(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "almanac-next-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const part of ["src", "views", "public", "seeds", "migrations", "package.json"])
    await cp(path.join(ROOT, part), path.join(folder, part), { recursive: true, verbatimSymlinks: true });
  await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  await writeFile(path.join(folder, "migrations", MIGRATION), NEXT);
  return folder;
}

const MIGRATION = "99999999999999_next_release.ts";
const NEXT = `import type { Knex } from "knex";
export async function up(knex: Knex): Promise<void> {
  await knex.raw("alter table items add column next_release text");
  await knex.raw("alter table servers add column next_release integer not null default 1");
}
export async function down(): Promise<void> {}
`;

/** HAProxy with the lines of docs/operate.md before these ports; resolves to its address. */
async function startHaproxy(ports: readonly number[]): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "almanac-haproxy-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [, lines = ""] = /```haproxy\n(.*?)```/s.exec(await readFile(DOCS, "utf8")) ?? [];
  const own = await freePort();
  const servers = ports.map((port, index) => `    server s${index} 127.0.0.1:${port}`).join("\n");
  const file = path.join(folder, "haproxy.cfg");
  const config = lines
    .replaceAll(/( {4}server .*\n)+/g, `${servers}\n`)
    .replace("bind :80", `bind 127.0.0.1:${own}`);
  await writeFile(file, config);
  await promisify(execFile)("haproxy", ["-c", "-f", file]);
  const child: ChildProcess = spawn("haproxy", ["-db", "-f", file], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  onTestFinished(async () => {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  });
  const url = `http://127.0.0.1:${own}`;
  await untilReady(url);
  return url;
}

it("fails no request behind HAProxy while the database is down, or a release that migrates takes over", {
  timeout: 240_000,
}, async () => {
  await insertRecords(database.db, "items", [{ id: "gun", name: "Gun" }]);
  const proxy = await startSilentProxy(database.url);
  const ports = [await freePort(), await freePort()];
  const running = ports.map((port) => startSite(port, proxy.url));
  const root = await makeNextRelease();
  const processes = ports.map((port) => `http://127.0.0.1:${port}`);
  await Promise.all(processes.map(untilReady));
  const haproxy = await startHaproxy(ports);

  // So that each process has each page in memory: the first request may have come before the search was ready.
  for (const url of processes)
    for (const path of [...PATHS, ...PATHS, ...PATHS]) await (await fetch(url + path)).text();
  const readersOfMemory = startReaders(haproxy, PATHS, PER_SECOND);
  proxy.refuse();
  for (const url of processes)
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { interval: 100 }).toBe(503);
  // Checks are a second apart.
  await delay(3_000);
  proxy.speak();
  await Promise.all(processes.map(untilReady));
  const whileAway = await readersOfMemory.stop();
  expect(Object.keys(whileAway)).toEqual(["200"]);
  expect(whileAway["200"]).toBeGreaterThan(3 * PER_SECOND);

  const readers = startReaders(haproxy, PATHS, PER_SECOND);
  for (const [index, port] of ports.entries()) {
    running[index]?.child.kill("SIGTERM");
    expect(await running[index]?.ended).toBe(0);
    startSite(port, proxy.url, root);
    await untilReady(`http://127.0.0.1:${port}`);
    // By the first, while one of the release before answers.
    expect(await database.db.schema.hasColumn("items", "next_release")).toBe(true);
  }
  const ends = await readers.stop();
  expect(Object.keys(ends)).toEqual(["200"]);
  expect(ends["200"]).toBeGreaterThan(5 * PER_SECOND);
});
