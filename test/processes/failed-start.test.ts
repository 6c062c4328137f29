import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { useCli } from "../helpers/cli.ts";

const MAIN = path.join(import.meta.dirname, "../../src/main.js");

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "almanac-failed-start-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const cli = useCli();

/** `serve` with its data in a folder; resolves to its exit code and what it printed on standard error. */
async function serve(folder: string, settings: Record<string, string> = {}) {
  const own = { PORT: "0", POLL: "0", DATA_DIR: path.join(folder, "data"), ...settings };
  return [await cli.run(own, "serve"), cli.err];
}

describe("a start that cannot be", { timeout: 120_000 }, () => {
  it("reports a port in use in one line, and makes nothing", async () => {
    const folder = await makeFolder();
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    expect(await serve(folder, { PORT: String(port) })).toEqual([
      2,
      `almanac: setting PORT: ${port} is in use on 127.0.0.1; set another one\n`,
    ]);
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    ["SITE_SCHEMA", "nowhere.json", /^almanac: setting SITE_SCHEMA: there is no file \S+nowhere\.json\n$/],
    ["SITE_LOGO", "nowhere.png", /^almanac: setting SITE_LOGO: .+\n$/],
    ["DEMO_DATA", "maybe", /^almanac: setting DEMO_DATA: must be 1 or 0\n$/],
  ])("reports a wrong %s in one line, and makes nothing", async (name, value, line) => {
    const folder = await makeFolder();
    expect(await serve(folder, { [name]: value })).toEqual([2, expect.stringMatching(line)]);
    expect(await readdir(folder)).toEqual([]);
  });

  it("explains what to do about a data directory that is a file", async () => {
    const folder = await makeFolder();
    await writeFile(path.join(folder, "data"), "");
    expect(await serve(folder)).toEqual([
      1,
      expect.stringMatching(
        /^almanac: The database cannot be kept in \S+: .+ Let this user write there, or set another DATA_DIR\.\n$/,
      ),
    ]);
  });

  it("shows the free space of a full disk, and leaves nothing", async () => {
    const folder = await makeFolder();
    const namespace = process.getuid?.() === 0 ? "-m" : "-rm";
    const mount = 'mount -t tmpfs -o size=24M tmpfs "$0" && "$@"; code=$?; ls "$0/data" >&2; exit "$code"';
    const args = [namespace, "/bin/sh", "-c", mount, folder, process.execPath, MAIN, "serve"];
    const options = { cwd: folder, env: { PATH: process.env.PATH, PORT: "0", POLL: "0" } };
    const { code, stderr } = await promisify(execFile)("unshare", args, options).catch((error) => error);
    const reason =
      /^almanac: The database could not be made in \S+: .* \(only 2\d MB are free at \S+: make room there, or set another DATA_DIR\)$/;
    expect([code, stderr.trim().split("\n").at(-1)]).toEqual([1, expect.stringMatching(reason)]);
    expect(existsSync(path.join(folder, "data"))).toBe(false);
  });
});
