import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { isAlive, readPostmasterFile } from "../../src/db/embedded/postmaster.ts";
import { announceSite, findRunningSite, requireOnlySite } from "../../src/db/known-sites.ts";
import { useCli } from "../helpers/cli.ts";
import { query, removeSite, useEmbedded } from "../helpers/embedded.ts";
import { freePort } from "../helpers/free-port.ts";

const MAIN = path.join(import.meta.dirname, "../../src/main.js");
const cli = useCli();
const { startProcess } = useEmbedded();

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "almanac-one-site-"));
  onTestFinished(() => removeSite(folder, "site"));
  return folder;
}

/** A clone, a data directory that looks as if a site had run there, and one that does not exist. */
async function makePlaces() {
  const folder = await makeFolder();
  const [dataDir, nowhere] = [path.join(folder, "site"), path.join(folder, "nowhere")];
  await mkdir(path.join(dataDir, "postgres"), { recursive: true });
  await mkdir(path.join(folder, "node_modules"));
  await writeFile(path.join(dataDir, "postgres/PG_VERSION"), "18\n");
  return { place: { dataDir, databaseUrl: undefined }, dataDir, nowhere, folder };
}

/** Something that answers, as a site does. */
async function answer(): Promise<string> {
  const server = createServer((_req, res) => void res.end("{}")).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** `almanac` in a folder, as npm runs it in a clone, without any setting in the environment. */
function almanac(folder: string, env: Record<string, string>, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function run(folder: string, ...args: string[]) {
  const options = { cwd: folder, env: { PATH: process.env.PATH } };
  return promisify(execFile)(process.execPath, [MAIN, ...args], options).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    ({ code, stdout, stderr }) => ({ code, out: stdout, err: stderr }),
  );
}

/** A process that lives and is not this one. */
const OTHER = process.ppid;

describe("a command without a database", () => {
  it.each([
    ["import items {file} --id-from name", "To make a new one, add --yes."],
    ["user create ann --operator", "To make a new one, add --yes."],
    ["demo load", "To make a new one, add --yes."],
    ["user list", "npm start makes one."],
    ["migrate", "npm start makes one."],
    ["worker", "npm start makes one."],
    ["backup {file}.tar", "npm start makes one."],
  ])("makes none by itself: %s", async (line, way) => {
    const { nowhere } = await makePlaces();
    const file = path.join(path.dirname(nowhere), "items.json");
    await writeFile(file, JSON.stringify([{ name: "One" }]));
    const args = line.split(" ").map((word) => word.replace("{file}", file));
    expect([await cli.run({ DATA_DIR: nowhere }, ...args), cli.out]).toEqual([1, ""]);
    expect(cli.err).toMatch(/^almanac: .*There is no database in \S+nowhere\. .*\n$/);
    expect(cli.err).toContain(way);
    expect(existsSync(nowhere)).toBe(false);
  });

  it("is the error of the JSON object of import --json", async () => {
    const { nowhere } = await makePlaces();
    const file = path.join(path.dirname(nowhere), "items.json");
    await writeFile(file, "[]");
    expect(await cli.run({ DATA_DIR: nowhere }, "import", "items", file, "--json")).toBe(1);
    const error = expect.stringContaining("There is no database in");
    expect(JSON.parse(cli.out)).toEqual({ file, written: false, error });
  });

  it("names the site of the clone that runs elsewhere, or ran", async () => {
    const { place, dataDir, folder } = await makePlaces();
    const url = await answer();
    announceSite(place, { url, pid: OTHER }, folder);
    const setting = `DATA_DIR=${dataDir} in .env makes every command use it.`;
    expect((await run(folder, "user", "list")).err).toContain(
      `There is no database in ${folder}/data. A site of this clone has its data in ${dataDir} and runs at ${url}: ${setting}`,
    );
    announceSite(place, { url: `http://127.0.0.1:${await freePort()}`, pid: OTHER }, folder);
    expect((await run(folder, "user", "list")).err).toContain(`has its data in ${dataDir}: ${setting}`);
    await rm(dataDir, { recursive: true });
    expect((await run(folder, "user", "list")).err).not.toContain(dataDir);
  });

  it("names an external database without its password", async () => {
    const { dataDir, folder } = await makePlaces();
    const databaseUrl = "postgres://ann:s3cret@db.example/almanac";
    announceSite({ dataDir, databaseUrl }, { url: await answer(), pid: OTHER }, folder);
    expect((await run(folder, "user", "list")).err).toContain(
      "uses the database postgres://ann:***@db.example/almanac: DATABASE_URL in .env",
    );
  });
});

describe("a site on a data directory", () => {
  it("is found by it, and keeps others away, while its process lives and answers", async () => {
    const { place, folder } = await makePlaces();
    const url = await answer();
    announceSite(place, { url, pid: OTHER }, folder);
    expect(await findRunningSite(place)).toEqual({ url, pid: OTHER });
    await expect(requireOnlySite(place)).rejects.toThrow(
      `already, at ${url} (process ${OTHER}): stop it, or set another DATA_DIR.`,
    );
  });

  it("is not taken for one that was there before", async () => {
    const { place, folder } = await makePlaces();
    await requireOnlySite(place);
    // Its port is another program's, its number another process's, or both.
    const ended = spawn(process.execPath, ["--version"]);
    await once(ended, "exit");
    for (const before of [
      { url: await answer(), pid: ended.pid ?? 0 },
      { url: `http://127.0.0.1:${await freePort()}`, pid: OTHER },
      { url: await answer(), pid: process.pid },
    ]) {
      announceSite(place, before, folder);
      expect(await findRunningSite(place)).toBeUndefined();
      await requireOnlySite(place);
    }
  });

  it("may be one of several on an external database", async () => {
    const { dataDir, folder } = await makePlaces();
    announceSite({ dataDir, databaseUrl: undefined }, { url: await answer(), pid: OTHER }, folder);
    await requireOnlySite({ dataDir, databaseUrl: "postgres://db.example/almanac" });
  });
});

describe("a folder with .env", { timeout: 240_000 }, () => {
  it("is one site for npm start and every command", async () => {
    const folder = await makeFolder();
    const port = await freePort();
    const dataDir = path.join(folder, "site");
    await writeFile(
      path.join(folder, ".env"),
      `PORT=${port}\nDATA_DIR=./site\nDEMO_DATA=0\nPOLL=0\nLOG_LEVEL=silent\n`,
    );

    const created = await run(folder, "user", "create", "ann", "--yes");
    expect(created).toEqual({
      code: 0,
      out: expect.stringMatching(/^\S{24}\n$/),
      err: expect.stringContaining("Made the user ann.\n"),
    });

    const site = almanac(folder, {}, "serve");
    const lines: string[] = [];
    for (const stream of [site.stdout, site.stderr])
      if (stream) createInterface({ input: stream }).on("line", (line) => lines.push(line));
    const ended = once(site, "exit");
    onTestFinished(async () => {
      site.kill("SIGKILL");
      await ended;
    });
    await expect
      .poll(() => lines.join("\n"), { timeout: 120_000 })
      .toContain("user create <name> --operator");
    expect(lines.join("\n")).toContain(`is at http://127.0.0.1:${port}`);
    expect(JSON.parse(await readFile(path.join(dataDir, "running.json"), "utf8"))).toEqual({
      url: `http://127.0.0.1:${port}`,
      pid: site.pid,
    });

    expect(await run(folder, "user", "list")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^1\tann\t/),
      err: "",
    });

    await writeFile(path.join(folder, ".env"), `PORT=${await freePort()}\nDATA_DIR=./site\n`);
    expect((await run(folder, "status")).out).toContain(`is ready at http://127.0.0.1:${port} (`);
    expect(await run(folder, "serve")).toEqual({
      code: 1,
      out: "",
      err: `almanac: A site runs on ${dataDir} already, at http://127.0.0.1:${port} (process ${site.pid}): stop it, or set another DATA_DIR.\n`,
    });

    site.kill("SIGINT");
    expect((await ended)[0]).toBe(0);
  });

  it("keeps its site when a command ends that ran the database before the site started", async () => {
    const { folder, dataDir } = await makePlaces();
    await rm(dataDir, { recursive: true });
    const command = startProcess(path.join(dataDir, "postgres"));
    const url = await command.waitFor("url");
    const port = await freePort();
    const site = almanac(folder, { PORT: String(port), DATA_DIR: dataDir, DEMO_DATA: "0" }, "serve");
    const ended = once(site, "exit");
    onTestFinished(async () => {
      site.kill("SIGKILL");
      await ended;
    });
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ status }) => status,
        () => 0,
      );
    await expect.poll(isReady, { timeout: 120_000 }).toBe(200);
    const server = (await readPostmasterFile(path.join(dataDir, "postgres")))?.pid;
    await command.kill();
    await expect.poll(() => isAlive(Number(server))).toBe(false);
    await expect.poll(() => query(url, "select 1 as one").catch(() => [])).toEqual([{ one: 1 }]);
    await expect.poll(isReady, { timeout: 60_000 }).toBe(200);
    site.kill("SIGINT");
    expect((await ended)[0]).toBe(0);
  });

  it("with a mistyped name is refused by every command", async () => {
    const folder = await makeFolder();
    await writeFile(path.join(folder, ".env"), "PROT=4000\n");
    for (const args of [["serve"], ["user", "list"]]) {
      expect(await run(folder, ...args)).toEqual({
        code: 2,
        out: "",
        err: "almanac: setting PROT: there is none of this name; PORT is meant\n",
      });
    }
    expect(existsSync(path.join(folder, "data"))).toBe(false);
  });
});
