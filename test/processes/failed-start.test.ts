import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";

const MAIN = path.join(import.meta.dirname, "../../src/main.js");

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "almanac-failed-start-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** What `serve` in a folder printed on standard error, and its exit code. */
async function serve(folder: string, settings: Record<string, string>, before: string[] = []) {
  const [program = "", ...args] = [...before, process.execPath, MAIN, "serve"];
  const env = { PATH: process.env.PATH, PORT: "0", POLL: "0", ...settings };
  return promisify(execFile)(program, args, { cwd: folder, env }).then(
    () => ({ code: 0, err: "" }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, err: stderr }),
  );
}

describe("a start that cannot be", { timeout: 120_000 }, () => {
  it("for a port in use says so in one line, and makes nothing", async () => {
    const folder = await makeFolder();
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    expect(await serve(folder, { PORT: String(port) })).toEqual({
      code: 2,
      err: `almanac: setting PORT: ${port} is in use on 127.0.0.1; set another one\n`,
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    ["SITE_SCHEMA", "nowhere.json", /^almanac: setting SITE_SCHEMA: there is no file \S+nowhere\.json\n$/],
    ["SITE_LOGO", "nowhere.png", /^almanac: setting SITE_LOGO: .+\n$/],
    ["DEMO_DATA", "maybe", /^almanac: setting DEMO_DATA: must be 1 or 0\n$/],
  ])("for a wrong %s says so in one line, and makes nothing", async (name, value, line) => {
    const folder = await makeFolder();
    expect(await serve(folder, { [name]: value })).toEqual({ code: 2, err: expect.stringMatching(line) });
    expect(await readdir(folder)).toEqual([]);
  });

  it("for a data directory that is a file explains what to do", async () => {
    const folder = await makeFolder();
    await writeFile(path.join(folder, "data"), "");
    expect(await serve(folder, {})).toEqual({
      code: 1,
      err: expect.stringMatching(
        /^almanac: The database cannot be kept in \S+: .+ Let this user write there, or set another DATA_DIR\.\n$/,
      ),
    });
  });

  it("for a full disk shows the free space, and leaves nothing", async () => {
    const folder = await makeFolder();
    const namespace = process.getuid?.() === 0 ? "-m" : "-rm";
    const mount = 'mount -t tmpfs -o size=24M tmpfs "$0" && "$@"; code=$?; ls "$0/data" >&2; exit "$code"';
    const before = ["unshare", namespace, "/bin/sh", "-c", mount, folder];
    const { code, err } = await serve(folder, {}, before);
    const reason =
      /^almanac: The database could not be made in \S+: .* \(only 2\d MB are free at \S+: make room there, or set another DATA_DIR\)$/;
    expect([code, err.trim().split("\n").at(-1)]).toEqual([1, expect.stringMatching(reason)]);
    expect(existsSync(path.join(folder, "data"))).toBe(false);
  });
});
