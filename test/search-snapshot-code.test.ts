import { readFileSync } from "node:fs";
import { appendFile, readdir } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { importGraph, packagesOf } from "./helpers/import-graph.ts";
import { copySite, runInSite } from "./helpers/site-process.ts";

const ROOT = path.join(import.meta.dirname, "..");
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

describe("the code that indexes on disk are told by", () => {
  it("is all that decides what an index looks like", async () => {
    const sources = await importedBy("src/search/index/build.ts");
    expect(sources.length).toBeGreaterThan(8);
    expect(sources.filter((file) => !file.startsWith("src/search/"))).toEqual([]);
    // Its table is in the hash. Another package that folds names would have to be told by its version too.
    const packages = new Set(sources.flatMap((file) => packagesOf(read(file))));
    expect([...packages].filter((name) => !name.startsWith("node:"))).toEqual([
      "opencc-js/dict/TSCharacters",
    ]);
  });

  it("is another one when a name is folded otherwise", async () => {
    const folder = await copySite({});
    const script = 'console.log(await (await import("./src/search/snapshot/code.ts")).codeOfIndexes())';
    const first = await runInSite(folder, script);
    expect(first).toMatch(/^[0-9a-f]{64}\n$/);
    expect(await runInSite(folder, script)).toBe(first);
    await appendFile(path.join(folder, "src/search/look-alikes.ts"), "// other letters\n");
    expect(await runInSite(folder, script)).not.toBe(first);
  });
});
