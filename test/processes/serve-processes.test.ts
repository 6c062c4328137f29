import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { processCount } from "../../src/commands/processes/process-group.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { freePort } from "../helpers/free-port.ts";
import { startReaders } from "../helpers/steady-readers.ts";
import { startWorker, type WorkerProcess } from "../helpers/worker.ts";

const database = useTestDatabase();

interface Group extends WorkerProcess {
  readonly url: string;
}

async function listenAnywhere(): Promise<Server> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** `almanac serve --processes 2` as an operator runs it. */
async function startGroup(env: Record<string, string> = {}): Promise<Group> {
  const port = await freePort();
  const own = {
    ...{ DATABASE_URL: database.url, PORT: String(port), HOST: "127.0.0.1" },
    ...{ WORKER: "0", LOG_LEVEL: "error", PAGE_LIMIT: "0", SHUTDOWN_DELAY_S: "1", ...env },
  };
  const started = startWorker(own, "serve", "--processes", "2");
  return { ...started, url: `http://127.0.0.1:${port}` };
}

/** The ids of the processes that serve. */
async function childrenOf({ child }: Group): Promise<number[]> {
  const args = ["-P", String(child.pid), "-f", "serve --processes"];
  const { stdout } = await promisify(execFile)("pgrep", args).catch(() => ({ stdout: "" }));
  return stdout.split("\n").filter(Boolean).map(Number);
}

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const says = (group: Group, text: string) =>
  expect.poll(() => group.lines.join("\n"), { timeout: 150_000, interval: 100 }).toContain(text);

const statusOf = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(30_000) }).then(
    ({ status }) => status,
    () => 0,
  );

describe("serve --processes", { timeout: 240_000 }, () => {
  it("replaces its processes on SIGHUP and a killed one, answering all the while, and stops whole", async () => {
    const metricsPort = await freePort();
    const dataDir = await mkdtemp(path.join(tmpdir(), "almanac-processes-"));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const group = await startGroup({ DATA_DIR: dataDir, METRICS_PORT: String(metricsPort) });
    await says(group, "2 processes answer.");
    await expect.poll(() => statusOf(`${group.url}/readyz`)).toBe(200);
    const first = await childrenOf(group);
    expect(group.output.filter((line) => line.includes(" is at "))).toHaveLength(1);
    // Each has its metrics.
    for (const port of [metricsPort, metricsPort + 1])
      await expect.poll(() => statusOf(`http://127.0.0.1:${port}/metrics`)).toBe(200);

    const readers = startReaders(group.url, ["/readyz", "/en/servers"], 20);
    group.child.kill("SIGHUP");
    await says(group, "still answering for 1 s");
    await losesNoConnection(group, first[0] ?? 0);
    await says(group, "All processes are replaced.");
    const second = await childrenOf(group);
    expect(second).toHaveLength(2);
    expect(second.filter((pid) => first.includes(pid))).toEqual([]);
    const ends = await readers.stop();
    expect(Object.keys(ends)).toEqual(["200"]);
    expect(ends["200"]).toBeGreaterThan(20);
    await keepsThoseThatAnswer(group, dataDir);

    const [killed = 0] = second;
    process.kill(killed, "SIGKILL");
    await says(group, "ended by itself (SIGKILL); starting another.");
    expect(await statusOf(`${group.url}/en/servers`)).toBe(200);
    await expect
      .poll(async () => (await childrenOf(group)).filter((pid) => pid !== killed), { timeout: 90_000 })
      .toHaveLength(2);
    const last = await childrenOf(group);
    // As Ctrl-C does, which reaches all of them.
    for (const pid of [...last, group.child.pid ?? 0]) process.kill(pid, "SIGINT");
    expect(await group.ended, group.lines.join("\n")).toBe(0);
    expect([...first, ...second, ...last].filter(isRunning)).toEqual([]);
  });

  /** On a busy machine the first process learns of connections and of the end of their process at once. */
  async function losesNoConnection(group: Group, oldest: number) {
    group.child.kill("SIGSTOP");
    const answers = Promise.all(Array.from({ length: 20 }, () => statusOf(`${group.url}/readyz`)));
    await Promise.race([expect.poll(() => isRunning(oldest), { timeout: 5_000 }).toBe(false), delay(3_000)]);
    group.child.kill("SIGCONT");
    expect(new Set(await answers)).toEqual(new Set([200]));
  }

  /** A new one does not start, because there is no last good vocabulary to go on with. */
  async function keepsThoseThatAnswer(group: Group, dataDir: string) {
    const before = await childrenOf(group);
    const file = path.join(dataDir, "site.json");
    await writeFile(file, '{"kinds": ');
    group.child.kill("SIGHUP");
    await says(group, "The new process 1 did not start; those that have not been replaced go on.");
    await rm(file);
    expect(await childrenOf(group)).toEqual(before);
    expect(await statusOf(`${group.url}/en/servers`)).toBe(200);
  }

  it("ends by the first one's exit code where that does not start, and says why once", async () => {
    const taken = await listenAnywhere();
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const group = await startGroup({ PORT: String(port) });
    expect(await group.ended).toBe(2);
    expect(group.lines.filter((line) => line.includes("PORT"))).toEqual([
      `almanac: setting PORT: ${port} is in use on 127.0.0.1; set another one`,
    ]);
  });

  it.each([{ args: [] }, { args: ["--processes", "2"] }])(
    "listens on a socket that systemd hands over: serve with $args",
    async ({ args }) => {
      const handed = await listenAnywhere();
      const { port } = handed.address() as AddressInfo;
      const { fd } = (handed as unknown as { _handle: { fd: number } })._handle;
      // The same process goes on, as when systemd starts one: LISTEN_PID is its own.
      const program = 'LISTEN_PID=$$ exec "$0" src/main.ts serve "$@"';
      const child = spawn("/bin/sh", ["-c", program, process.execPath, ...args], {
        cwd: path.join(import.meta.dirname, "../.."),
        env: {
          ...{ PATH: process.env.PATH, DATABASE_URL: database.url, LISTEN_FDS: "1", WORKER: "0", POLL: "0" },
          ...{
            LOG_LEVEL: "error",
            SESSION_SECRET: "a session secret that only tests know",
            SHUTDOWN_DELAY_S: "0",
          },
        },
        stdio: ["ignore", "pipe", "inherit", fd],
      });
      // Only the site accepts from now on.
      handed.close();
      // Asked before the process can answer.
      const early = fetch(`http://127.0.0.1:${port}/items`);
      const ended = once(child, "exit");
      onTestFinished(() => void child.kill("SIGKILL"));
      let told = "";
      child.stdout?.on("data", (chunk) => {
        told += chunk;
      });
      await expect.poll(() => told, { timeout: 60_000 }).toContain(`is at http://127.0.0.1:${port}`);
      expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
      expect((await early).status).toBe(200);
      expect(await (await early).text()).toContain("<h1");
      child.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
    },
  );

  it.each(["0", "65", "two", "-1", ""])("refuses %j processes", (count) => {
    expect(() => processCount(count)).toThrow(`--processes takes a number from 1 to 64, not "${count}"`);
  });

  it("kills a process that does not stop on request", async () => {
    const script = fileURLToPath(new URL("../helpers/stubborn-processes.ts", import.meta.url));
    const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    let told = "";
    child.stdout.on("data", (chunk) => {
      told += chunk;
    });
    const ended = once(child, "exit");
    await expect.poll(() => told, { interval: 50 }).toContain("2 processes answer.");
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(told.match(/A process takes too long to stop and is killed\./g)).toHaveLength(2);
  });
});
