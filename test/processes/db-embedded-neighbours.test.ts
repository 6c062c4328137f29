import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createDb } from "../../src/db/connect.ts";
import { inspectHolder, isAlive, readPostmasterFile } from "../../src/db/embedded/postmaster.ts";
import { type EmbeddedPostgresOptions, findEmbeddedPostgres } from "../../src/db/embedded/start.ts";
import { isDatabaseAway } from "../../src/db/failures.ts";
import { query, useEmbedded } from "../helpers/embedded.ts";

const { dataDirectory, stoppedDatabase, start, startProcess, slowPackage } = useEmbedded();

/** A process of no meaning, for its id. */
const strangers: ReturnType<typeof spawn>[] = [];
afterEach(() => {
  for (const stranger of strangers.splice(0)) stranger.kill("SIGKILL");
});

async function databaseDirectory(): Promise<string> {
  return path.join(await dataDirectory(), "postgres");
}

describe("two starts on one directory", () => {
  it.each(["a fresh one", "one that is there"])(
    "at the same moment, %s: one serves, both work",
    async (which) => {
      const directory = await (which === "a fresh one" ? databaseDirectory() : stoppedDatabase());
      const processes = [0, 1, 2].map(() => startProcess(directory));
      const urls = await Promise.all(processes.map((process) => process.waitFor("url")));
      expect(new Set(urls).size).toBe(1);
      const adopted = processes.map((process) => process.events.find((event) => event.url)?.adopted);
      expect(adopted.filter((value) => value === false)).toHaveLength(1);
      for (const url of urls) expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
      expect(await readdir(path.dirname(directory))).toEqual(["postgres"]);
    },
  );

  it("in one process: the second joins the first", async () => {
    const directory = await stoppedDatabase();
    const servers = await Promise.all([start(directory), start(directory)]);
    expect(servers.map((server) => server.adopted).sort()).toEqual([false, true]);
    expect(servers[0]?.url).toBe(servers[1]?.url);
  });

  it("the slower one does not take the other's server for its own", async () => {
    const directory = await stoppedDatabase();
    const slower = start(directory, { packageRoot: await slowPackage() });
    const owner = await start(directory);
    const guest = await slower;
    expect([owner.adopted, guest.adopted]).toEqual([false, true]);
    await guest.stop();
    expect(await query(owner.url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("the second's end leaves the first's server alone; the first's end is seen at once and passes", async () => {
    const directory = await stoppedDatabase();
    const owner = await start(directory);
    const guest = await start(directory);
    await guest.stop();
    const db = createDb({ url: guest.url });
    await db.raw("create table kept as select 1 as number");

    await owner.stop();
    const failure = await db.raw("select * from kept").catch((error: unknown) => error);
    expect(isDatabaseAway(failure)).toBe(true);

    await start(directory);
    expect((await db.raw("select * from kept")).rows).toEqual([{ number: 1 }]);
    await db.destroy();
  });

  it("the second restarts the server when the first's process is killed, if it keeps it running", async () => {
    const directory = await stoppedDatabase();
    const owner = startProcess(directory);
    const url = await owner.waitFor("url");
    const guest = await start(directory, { keepsRunning: true });
    expect([guest.url, guest.adopted]).toEqual([url, true]);
    const before = (await readPostmasterFile(directory))?.pid;
    await owner.kill();
    await expect.poll(() => isAlive(Number(before))).toBe(false);
    await expect.poll(() => query(url, "select 1 as one").catch(() => [])).toEqual([{ one: 1 }]);
    await guest.stop();
    await expect(query(url, "select 1")).rejects.toThrow();
  });

  it("the running one is found without starting anything", async () => {
    const directory = await stoppedDatabase();
    expect(await findEmbeddedPostgres(directory)).toBeNull();
    const server = await start(directory);
    expect(await findEmbeddedPostgres(directory)).toBe(server.url);
    await server.stop();
    expect(await findEmbeddedPostgres(directory)).toBeNull();
  });
});

describe("a postmaster.pid that a killed server left", () => {
  it("is not taken for the next one's, which is ready only later", async () => {
    const directory = await stoppedDatabase();
    await expectRecovery(directory, 4_000_000, { packageRoot: await slowPackage() });
  });

  it("names a process that is gone", async () => {
    const directory = await stoppedDatabase();
    const stranger = sleeper();
    stranger.kill("SIGKILL");
    await once(stranger, "exit");
    await expectRecovery(directory, stranger.pid);
  });

  it("names another program's process, which goes on undisturbed", async () => {
    const directory = await stoppedDatabase();
    const stranger = sleeper();
    expect(await inspectHolder(Number(stranger.pid), directory)).toBe("stranger");
    await expectRecovery(directory, stranger.pid);
    expect(isAlive(Number(stranger.pid))).toBe(true);
  });

  it("names our own process, as is usual in containers", async () => {
    await expectRecovery(await stoppedDatabase(), process.pid);
  });

  it("names the server of another directory, which goes on undisturbed", async () => {
    const other = await stoppedDatabase();
    const { url } = await start(other);
    const pid = (await readPostmasterFile(other))?.pid;
    await expectRecovery(await stoppedDatabase(), pid);
    expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("names a zombie, which nobody ever reaps", async () => {
    const directory = await stoppedDatabase();
    // The shell becomes a sleeper that does not know of its child.
    const parent = spawn("/bin/sh", ["-c", "sleep 0.1 & echo $!; exec sleep 60"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    strangers.push(parent);
    const [output] = await once(parent.stdout, "data");
    const pid = Number(output.toString());
    await expect.poll(async () => (await inspectHolder(pid, directory)) === "zombie").toBe(true);
    await expectRecovery(directory, pid);
  });

  function sleeper() {
    const stranger = spawn("sleep", ["60"], { stdio: "ignore" });
    strangers.push(stranger);
    return stranger;
  }

  /** Writes the file as it was left in the middle of work, `ready` and with the port that comes next, and starts. */
  async function expectRecovery(
    directory: string,
    pid: number | undefined,
    options: Partial<EmbeddedPostgresOptions> = {},
  ) {
    const before = await start(directory);
    await query(before.url, "create table kept as select 1 as number");
    const { port } = new URL(before.url);
    await before.stop();
    const lines = [
      pid,
      directory,
      Math.floor(Date.now() / 1000) - 60,
      port,
      "",
      "127.0.0.1",
      "  1234   5678",
      "ready   ",
    ];
    await writeFile(path.join(directory, "postmaster.pid"), `${lines.join("\n")}\n`);
    const { url, adopted } = await start(directory, options);
    expect(adopted).toBe(false);
    expect(await query(url, "select * from kept")).toEqual([{ number: 1 }]);
    expect((await readPostmasterFile(directory))?.pid).not.toBe(pid);
  }
});

describe("a database that was being made when its process was killed", () => {
  it("is created again, and nothing of the attempt remains", async () => {
    const directory = await databaseDirectory();
    const child = startProcess(directory);
    await child.waitFor("line");
    const drafts = async () =>
      (await readdir(path.dirname(directory))).filter((name) => name.includes(".init-"));
    await expect.poll(async () => (await drafts()).length === 1).toBe(true);
    await child.kill();
    expect(await drafts()).toHaveLength(1);
    expect(await readdir(path.dirname(directory))).not.toContain("postgres");

    const { url } = await start(directory);
    expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
    expect(await readdir(path.dirname(directory))).toEqual(["postgres"]);
  });

  it("differs from one that another process is creating now", async () => {
    const directory = await databaseDirectory();
    const alive = `${directory}.init-${process.ppid}-1`;
    const mineBefore = `${directory}.init-${process.pid}-1`;
    for (const room of [alive, mineBefore]) await mkdir(path.join(room, "cluster"), { recursive: true });
    await utimes(mineBefore, 1_000_000, 1_000_000);
    await start(directory);
    expect((await readdir(path.dirname(directory))).sort()).toEqual(["postgres", path.basename(alive)]);
  });

  it("may be in an empty directory that was there before", async () => {
    const directory = await databaseDirectory();
    await mkdir(directory);
    expect((await start(directory)).adopted).toBe(false);
  });
});

describe("a port", () => {
  it("is left to another owner", async () => {
    const directory = await stoppedDatabase();
    const first = await start(directory);
    const port = Number(new URL(first.url).port);
    await first.stop();
    const other = createServer().listen(port, "127.0.0.1");
    await once(other, "listening");
    const second = await start(directory);
    expect(Number(new URL(second.url).port)).not.toBe(port);
    expect(await query(second.url, "select 1 as one")).toEqual([{ one: 1 }]);
    expect(other.listening).toBe(true);
    other.close();
  });
});
