import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, stat, truncate } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { isAlive, readPostmasterFile } from "../../src/db/embedded/postmaster.ts";
import { supervisorCommand } from "../../src/db/embedded/server.ts";
import { ordinaryUser, query, useEmbedded } from "../helpers/embedded.ts";
import { superuserUrl } from "../helpers/superuser.ts";

const { dataDirectory, stoppedDatabase, start, startProcess, slowPackage } = useEmbedded();

async function serverPid(directory: string): Promise<number> {
  const file = await readPostmasterFile(directory);
  if (!file) throw new Error(`no server in ${directory}`);
  return file.pid;
}

/** Command lines of supervisors and servers of a directory. */
function serverProcesses(directory: string): string[] {
  const lines = execFileSync("ps", ["-A", "-o", "args="], { encoding: "utf8", maxBuffer: 1e8 }).split("\n");
  return lines.filter((line) => line.includes(`-D ${directory} `));
}

describe("a first start", () => {
  it("makes a server that keeps its promises, lets in who has the password, and depends on no machine", async () => {
    // A path with spaces, quotes, other scripts, and longer than a socket's may be.
    const name = `Данные $HOME 'x' "y" \`z\` ${"ä".repeat(60)}`;
    const directory = path.join(await dataDirectory({}, name), "postgres");
    const { url, adopted } = await start(directory);
    expect(adopted).toBe(false);
    await query(url, "create extension pg_trgm");
    await query(url, "create extension unaccent");
    const [letters] = await query(
      url,
      `select lower('ÄПЁ') as lower, show_trgm('пистолет') as trigrams, unaccent('Žofia') as plain,
        getdatabaseencoding() as encoding,
        (select string_agg(word, '' order by word) from unnest(array['b', 'ä', 'B', 'a']) as word) as sorted`,
    );
    expect(letters).toMatchObject({ lower: "äпё", plain: "Zofia", encoding: "UTF8", sorted: "Babä" });
    expect(letters?.trigrams).toHaveLength(9);
    const [settings] = await query(
      url,
      `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
        current_setting('max_connections') as connections, current_setting('shared_buffers') as buffers,
        current_setting('timezone') as zone, current_setting('listen_addresses') as addresses`,
    );
    expect(settings).toEqual({
      ...{ fsync: "on", commit: "on", connections: "60", buffers: "32MB", zone: "UTC" },
      addresses: "127.0.0.1",
    });

    const address = new URL(url);
    expect(address.hostname).toBe("127.0.0.1");
    expect(address.password).toMatch(/^[0-9a-f]{48}$/);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect((await stat(path.join(directory, "almanac.password"))).mode & 0o777).toBe(0o600);
    const asSuperuser = await superuserUrl(directory, url);
    expect(await query(asSuperuser, "show data_directory")).toEqual([{ data_directory: directory }]);
    expect(await query(asSuperuser, "show unix_socket_directories")).toEqual([
      { unix_socket_directories: "" },
    ]);
    address.password = "guessed";
    await expect(query(address.href, "select 1")).rejects.toThrow("password authentication failed");
    const other = new URL((await start(await stoppedDatabase())).url);
    expect(other.password).not.toBe(new URL(url).password);
    expect(other.port).not.toBe(address.port);
  });
});

describe("a later start", () => {
  it("finds the data, the password and the port as they were", async () => {
    const directory = await stoppedDatabase();
    const first = await start(directory);
    await query(first.url, "create table kept as select generate_series(1, 1000) as number");
    await first.stop();
    const second = await start(directory);
    expect(second.url).toBe(first.url);
    expect(await query(second.url, "select count(*)::int as count from kept")).toEqual([{ count: 1000 }]);
  });

  it("starts a new log when it has become long", async () => {
    const directory = await stoppedDatabase();
    const log = path.join(directory, "server.log");
    expect(await readFile(log, "utf8")).toContain("database system is shut down");
    await truncate(log, 11 * 1024 * 1024);
    await start(directory);
    expect((await stat(log)).size).toBeLessThan(100_000);
    expect((await stat(`${log}.old`)).size).toBe(11 * 1024 * 1024);
  });
});

describe("the log", () => {
  it("stays short while the server runs, whatever it has to write", async () => {
    const directory = await stoppedDatabase();
    const { url } = await start(directory);
    const log = path.join(directory, "server.log");
    const sizes = () => Promise.all([log, `${log}.old`].map((file) => stat(file).then(({ size }) => size)));
    for (const round of [1, 2, 3]) {
      const shout = `raise warning 'round ${round} %', repeat('x', 100000)`;
      await query(url, `do $$ begin for turn in 1..70 loop ${shout}; end loop; end $$`);
      await expect.poll(async () => (await stat(log)).size).toBeLessThan(1_000_000);
      expect(Math.max(...(await sizes()))).toBeLessThanOrEqual(10 * 1024 * 1024);
      expect(await readFile(`${log}.old`, "utf8")).toContain(`round ${round} xxx`);
    }
    await expect(query(url, "select 1 / 0")).rejects.toThrow();
    const kept = await stat(`${log}.old`);
    expect([kept.mode & 0o777, kept.uid]).toEqual([0o600, (await stat(log)).uid]);
    // Its own size, and not that of a file with a hole: the server goes on at the beginning.
    const text = await readFile(log, "utf8");
    expect(text).toContain("division by zero");
    expect(text).not.toContain("\0");
  });
});

describe("stopping", () => {
  it("shuts the server down in order, sessions included, and may be repeated", async () => {
    const directory = await stoppedDatabase();
    const server = await start(directory);
    const pid = await serverPid(directory);
    const sleeping = query(server.url, "select pg_sleep(60)").catch((error: Error) => error.message);
    const sleepers = "select count(*)::int as n from pg_stat_activity where wait_event = 'PgSleep'";
    await expect.poll(() => query(server.url, sleepers)).toEqual([{ n: 1 }]);
    await server.stop();
    expect(await sleeping).toContain("terminating connection due to administrator command");
    expect(isAlive(pid)).toBe(false);
    expect(await readPostmasterFile(directory)).toBeNull();
    expect(await readFile(path.join(directory, "server.log"), "utf8")).toMatch(
      /database system is shut down\n$/,
    );
    await server.stop();
  });

  it("waits for the site on Ctrl-C: the signal to the whole group does not reach the server", async () => {
    const directory = await stoppedDatabase();
    const child = startProcess(directory);
    await child.waitFor("url");
    const pid = await serverPid(directory);
    child.interruptGroup();
    expect(await child.ended).toBe(0);
    expect(child.events.slice(-2)).toEqual([{ afterSignal: "still there" }, { stopped: true }]);
    expect(isAlive(pid)).toBe(false);
  });

  it("happens by itself when a process ends that forgot it", async () => {
    const directory = await stoppedDatabase();
    const child = startProcess(directory, { task: "leave" });
    expect(await child.ended).toBe(0);
    await expect.poll(async () => (await readPostmasterFile(directory)) === null).toBe(true);
  });
});

describe("kill -9 of the site", () => {
  it.each([
    ["as the user of the tests", {}],
    ["as an ordinary user", ordinaryUser()],
  ])("leaves no server behind and loses no acknowledged row, %s", async (_, as) => {
    const directory = await stoppedDatabase(as);
    const child = startProcess(directory, { task: "write", as });
    await child.waitFor("written");
    const pid = await serverPid(directory);
    await expect.poll(() => child.acknowledged > 200).toBe(true);
    await child.kill();
    await expect.poll(() => !isAlive(pid)).toBe(true);
    expect(await readPostmasterFile(directory)).toBeNull();

    const { url } = await start(directory);
    const [row] = await query(url, "select count(*)::int as count, max(number) as last from written");
    expect(row?.last).toBeGreaterThanOrEqual(child.acknowledged);
    expect(row?.count).toBe(row?.last);
  });
});

describe("kill -9 of the site while the server is only starting", () => {
  it("leaves no server behind either, although that one is deaf yet", async () => {
    const directory = await stoppedDatabase();
    const log = path.join(directory, "server.log");
    await truncate(log);
    const child = startProcess(directory, { packageRoot: await slowPackage() });
    await expect.poll(() => serverProcesses(directory).length > 0).toBe(true);
    await child.kill();
    await expect.poll(() => serverProcesses(directory).length === 0).toBe(true);
    expect(await readFile(log, "utf8")).toContain("received fast shutdown request");
  });
});

describe("the supervisor", () => {
  it("stops its server also when the site is gone before it has read anything", async () => {
    const { file, args } = supervisorCommand("pg_ctl", "directory");
    const server = 'process.on("SIGINT", () => process.exit(7)); setTimeout(() => {}, 60_000)';
    const child = spawn(file, [...args, process.execPath, "-e", server], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    child.stdout.destroy();
    child.stdin.destroy();
    const [code] = await once(child, "exit");
    // 130: SIGINT came before the server listened for it, and ended it all the same.
    expect([7, 130]).toContain(code);
  });

  it("ends a server that does not stop on request", async () => {
    const { file, args } = supervisorCommand("pg_ctl", "directory", 1);
    const server =
      'process.on("SIGINT", () => {}).on("SIGQUIT", () => process.exit(8)); setTimeout(() => {}, 60_000)';
    const child = spawn(file, [...args, process.execPath, "-e", `${server}; console.error("deaf")`], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    await once(child.stderr, "data");
    child.stdin.destroy();
    expect(await once(child, "exit")).toEqual([8, null]);
  });
});

describe("a server that ends by itself", () => {
  it("is started again on the same port, with all rows", async () => {
    const directory = await stoppedDatabase();
    const lines: string[] = [];
    const { url } = await start(directory, { log: (line) => lines.push(line) });
    await query(url, "create table kept as select generate_series(1, 1000) as number");
    const pid = await serverPid(directory);
    process.kill(pid, "SIGKILL");
    await expect.poll(() => lines.includes("The database is back")).toBe(true);
    expect(await query(url, "select count(*)::int as count from kept")).toEqual([{ count: 1000 }]);
    expect(await serverPid(directory)).not.toBe(pid);
  });

  it("is not started again while it is being stopped", async () => {
    const directory = await stoppedDatabase();
    const server = await start(directory);
    process.kill(await serverPid(directory), "SIGKILL");
    await server.stop();
    await server.stop();
    await expect(query(server.url, "select 1")).rejects.toThrow();
  });

  it.each([
    ["its supervisor", (family: Family) => [family.supervisor]],
    ["its supervisor and that one's helper", (family: Family) => [family.reader, family.supervisor]],
  ])("ends with %s, and is started again", async (_, victims) => {
    const directory = await stoppedDatabase();
    const lines: string[] = [];
    const server = await start(directory, { log: (line) => lines.push(line) });
    const family = familyOf(await serverPid(directory));
    for (const pid of victims(family)) process.kill(pid, "SIGKILL");
    await expect.poll(() => !isAlive(family.server)).toBe(true);
    await expect.poll(() => lines.includes("The database is back")).toBe(true);
    const successor = await serverPid(directory);
    await server.stop();
    expect(isAlive(successor)).toBe(false);
  });

  it("is stopped by closing the pipe, although its supervisor is deaf to signals, as systemd sends them to all", async () => {
    const directory = await stoppedDatabase();
    const server = await start(directory);
    const pid = await serverPid(directory);
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.kill(familyOf(pid).supervisor, signal);
    await delay(200);
    expect(await query(server.url, "select 1 as one")).toEqual([{ one: 1 }]);
    expect(await serverPid(directory)).toBe(pid);
    await server.stop();
    expect(isAlive(pid)).toBe(false);
  });

  interface Family {
    server: number;
    supervisor: number;
    reader: number;
  }

  function familyOf(server: number): Family {
    const all = parents();
    const supervisor = all.get(server);
    const reader = [...all].find(([pid, parent]) => parent === supervisor && pid !== server)?.[0];
    if (!supervisor || !reader) throw new Error(`${server} has no supervisor with a reader`);
    return { server, supervisor, reader };
  }

  /** Each process's parent. */
  function parents(): Map<number, number> {
    const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
    return new Map(lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number]));
  }
});
