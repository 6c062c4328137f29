import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { appendFile, cp, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { importGraph, packagesOf } from "../helpers/import-graph.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(path.join(ROOT, file), "utf8");

/** Every file of src that a file imports, directly or not. */
async function importedBy(file: string): Promise<string[]> {
  const files = (await readdir(path.join(ROOT, "src"), { recursive: true })).filter((name) =>
    name.endsWith(".ts"),
  );
  const graph = importGraph(
    files.map((name) => `src/${name}`),
    read,
  );
  const found = new Set([file]);
  for (const each of found) for (const next of graph.get(each) ?? []) found.add(next);
  return [...found];
}

/** A copy of the sources for one test. */
async function copySources(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "almanac-sources-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(path.join(ROOT, "src"), path.join(folder, "src"), { recursive: true, verbatimSymlinks: true });
  for (const name of ["node_modules", "package.json"])
    await symlink(path.join(ROOT, name), path.join(folder, name));
  return folder;
}

describe("the version of the code in an index on disk", () => {
  it("is all that decides what an index looks like", async () => {
    const sources = await importedBy("src/search/index/build.ts");
    expect(sources.length).toBeGreaterThan(8);
    expect(sources.filter((file) => !file.startsWith("src/search/"))).toEqual([]);
    // Its table is in the hash. Another package that folds names would need its version in the hash, too.
    const packages = new Set(sources.flatMap((file) => packagesOf(read(file))));
    expect([...packages].filter((name) => !name.startsWith("node:"))).toEqual([
      "opencc-js/dict/TSCharacters",
    ]);
  });

  it("is another one when a name is folded otherwise", async () => {
    const folder = await copySources();
    const script = 'console.log(await (await import("./src/search/snapshot/origin.ts")).codeOfIndexes())';
    const args = ["--input-type=module", "-e", script];
    const readCode = async () => (await promisify(execFile)(process.execPath, args, { cwd: folder })).stdout;
    const first = await readCode();
    expect(first).toMatch(/^[0-9a-f]{64}\n$/);
    expect(await readCode()).toBe(first);
    await appendFile(path.join(folder, "src/search/look-alikes.ts"), "// other letters\n");
    expect(await readCode()).not.toBe(first);
  });
});
