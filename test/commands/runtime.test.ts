import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, copyFile, cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { makeFolder } from "../helpers/folder.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const run = promisify(execFile);

/** What a program printed and its exit code. */
async function outcome(
  program: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
) {
  return run(program, args, options).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    ({ code, stdout, stderr }) => ({ code, out: stdout, err: stderr }),
  );
}

describe("the entry point", () => {
  const pretend = (version: string) =>
    `--import=data:text/javascript,${encodeURIComponent(
      `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })`,
    )}`;

  it.each(["20.20.2", "22.17.1"])("refuses Node %s in one line", async (version) => {
    const { code, out, err } = await outcome(process.execPath, [pretend(version), "src/main.ts", "help"], {
      cwd: ROOT,
    });
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(
      /^almanac: needs Node 22\.18 or later, and this is Node [\d.]+\. npm ci installs one .+\n$/,
    );
  });

  it.each(["22.18.0", "26.0.0"])("runs on Node %s", async (version) => {
    const { code, out } = await outcome(process.execPath, [pretend(version), "src/main.ts", "help"], {
      cwd: ROOT,
    });
    expect([code, out]).toEqual([0, expect.stringMatching(/^Usage: /)]);
  });

  it("is JavaScript, for a Node that cannot read TypeScript", async () => {
    const folder = makeFolder();
    await cp(path.join(ROOT, "src/main.ts"), path.join(folder, "main.mjs"), { dereference: true });
    expect(await outcome(process.execPath, ["--check", "main.mjs"], { cwd: folder })).toMatchObject({
      code: 0,
      err: "",
    });
  });

  it("says in one line that the packages are missing", async () => {
    const folder = makeFolder();
    await cp(path.join(ROOT, "src"), path.join(folder, "src"), { recursive: true, verbatimSymlinks: true });
    await copyFile(path.join(ROOT, "package.json"), path.join(folder, "package.json"));
    const { code, err } = await outcome(process.execPath, ["src/main.ts", "help"], { cwd: folder });
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^almanac: the package \S+ is not installed: run npm ci\n$/),
    ]);
  });
});

describe("the Node of a package", () => {
  /** An installation with this shell script as a package's Node, with the Node that runs the tests, or with none (null). */
  async function install(script?: string | null) {
    const folder = makeFolder();
    const name = `node-test-${process.platform}-${process.arch}`;
    const program = path.join(folder, "node_modules", name, "bin/node");
    await mkdir(path.dirname(program), { recursive: true });
    const optionalDependencies = { "node-linux-none": "1.0.0", [name]: "1.0.0" };
    await writeFile(path.join(folder, "package.json"), JSON.stringify({ optionalDependencies }));
    if (script === null) await rm(path.dirname(program), { recursive: true });
    else if (script === undefined) await symlink(process.execPath, program);
    else await writeFile(program, script, { mode: 0o755 });
    const done = await outcome(process.execPath, [path.join(ROOT, "scripts/packaged-node.js")], {
      cwd: folder,
    });
    return { done, name, program, link: path.join(folder, "node_modules/.bin/node") };
  }

  it("is linked where npm looks for programs first", async () => {
    const { done, link } = await install();
    expect(done).toEqual({ code: 0, out: "", err: "" });
    const asked = ["-p", "[process.version, ...process.argv.slice(1)].join()", "--", "a b"];
    expect(await outcome(link, asked)).toEqual({ code: 0, out: `${process.version},a b\n`, err: "" });
  });

  it.each([
    ["cut off", (program: string) => writeFile(program, "#!/bin/sh\n")],
    ["empty", (program: string) => writeFile(program, "")],
    ["not executable", (program: string) => chmod(program, 0o644)],
    ["gone", (program: string) => rm(program)],
  ])("is refused in one line once it is %s", async (_what, spoil) => {
    const { link, name, program } = await install("#!/bin/sh\necho ran\n");
    expect(await outcome(link, [])).toMatchObject({ code: 0, out: "ran\n" });
    await spoil(program);
    const err = `almanac: the Node in node_modules/${name} is incomplete: run npm ci again\n`;
    expect(await outcome(link, [])).toEqual({ code: 1, out: "", err });
  });

  it("is left out where it does not run, so that the machine's own is used", async () => {
    const { done, link, name } = await install("#!/bin/sh\necho 'node: no such loader' >&2; exit 127\n");
    const err = `${name} does not run here (node: no such loader): npm start uses the Node of this machine, ${process.version}.\n`;
    expect(done).toEqual({ code: 0, out: "", err });
    expect(existsSync(link)).toBe(false);
  });

  it("is reported where npm could not download it", async () => {
    const { done, link, name } = await install(null);
    const err = `${name} is not installed: npm start uses the Node of this machine, ${process.version}.\n`;
    expect(done).toEqual({ code: 0, out: "", err });
    expect(existsSync(link)).toBe(false);
  });
});

it("installs the same Node on every platform, as what npm ci picks by the platform", async () => {
  const { packages } = JSON.parse(await readFile(path.join(ROOT, "package-lock.json"), "utf8"));
  const runtimes = Object.keys(packages[""].optionalDependencies).filter((name) => name.startsWith("node-"));
  const locked = runtimes.map((name) => packages[`node_modules/${name}`]);
  expect(locked.map(({ os, cpu }) => `${os}-${cpu}`).sort()).toEqual([
    "darwin-arm64",
    "darwin-x64",
    "linux-arm64",
    "linux-x64",
    "win32-x64",
  ]);
  expect(new Set(locked.map(({ version }) => version)).size).toBe(1);
  for (const { optional, bin } of locked) expect([optional, Object.keys(bin)]).toEqual([true, ["node"]]);
});
