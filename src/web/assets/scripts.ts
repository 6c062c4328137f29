import path from "node:path";
import { build, type Metafile, stop } from "esbuild";
import { ownKinds } from "../../words/kinds/own-kinds.ts";

/** Not modules: scripts that run in the head before anything is shown, and one that other sites include. */
const CLASSIC = new Set(["js/web/early.js", "js/web/times.js", "js/catalogue/embed-cards.js"]);

/** For phones that get no more updates. */
const TARGET = "es2020";

/**
 * Bundles and minifies scripts. Pages can name those that no other script imports; shared imports get files of their
 * own.
 */
export async function buildScripts(files: string[], folder: string) {
  const isClassic = (file: string) => CLASSIC.has(servedName(file));
  try {
    const entries = await listEntries(
      files.filter((file) => !isClassic(file)),
      folder,
    );
    const modules = await bundle(entries, folder, "esm");
    const classic = await bundle(files.filter(isClassic), folder, "iife");
    const inputs = [...modules.inputs, ...classic.inputs].map((file) => path.resolve(folder, file));
    return {
      scripts: [...modules.scripts, ...classic.scripts],
      imports: modules.imports,
      sources: [...new Set(inputs)].filter((file) => !file.startsWith(folder)),
    };
  } finally {
    // Otherwise esbuild's process would stay for as long as this one.
    await stop();
  }
}

/** The scripts that no other imports, because each entry becomes a file of its own. */
async function listEntries(files: string[], folder: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: files.map((file) => path.join(folder, file)),
    absWorkingDir: folder,
    outdir: folder,
    bundle: true,
    format: "esm",
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  const inputs = Object.values(metafile.inputs);
  const imported = new Set(inputs.flatMap(({ imports }) => imports.map((one) => one.path)));
  return files.filter((file) => !imported.has(file));
}

async function bundle(files: string[], folder: string, format: "esm" | "iife") {
  const result = await build({
    entryPoints: files.map((file) => path.join(folder, file)),
    absWorkingDir: folder,
    outbase: folder,
    outdir: folder,
    entryNames: "[dir]/[name]-[hash]",
    chunkNames: "js/part-[hash]",
    bundle: true,
    splitting: format === "esm",
    format,
    minify: true,
    // Served as UTF-8: escapes would be three times as long.
    charset: "utf8",
    define: { OWN_KINDS: JSON.stringify(ownKinds()) },
    target: TARGET,
    // The type checker's settings would only add "use strict" to every script.
    tsconfigRaw: "{}",
    legalComments: "none",
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  const outputs = Object.entries(result.metafile.outputs);
  const scripts = outputs.map(([name, { entryPoint }]) => ({
    file: entryPoint === undefined ? undefined : servedName(entryPoint),
    name,
    body: findBody(name),
  }));
  const imports = new Map(
    outputs.flatMap(([name, { entryPoint }]) =>
      entryPoint === undefined ? [] : [[servedName(entryPoint), allImports(name, result.metafile)] as const],
    ),
  );
  return { scripts, imports, inputs: Object.keys(result.metafile.inputs) };

  function findBody(name: string): Buffer {
    const output = result.outputFiles.find((file) => file.path === path.join(folder, name));
    return Buffer.from(output?.contents ?? []);
  }
}

function servedName(file: string): string {
  return file.replace(/\.ts$/, ".js");
}

/** All static imports of an output, without dynamic ones. */
function allImports(name: string, metafile: Metafile, found = new Set<string>()): string[] {
  for (const { path: imported, kind } of metafile.outputs[name]?.imports ?? []) {
    if (kind !== "import-statement" || found.has(imported)) continue;
    found.add(imported);
    allImports(imported, metafile, found);
  }
  return [...found];
}
