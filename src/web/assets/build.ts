import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { deserialize, serialize } from "node:v8";
import { writeWhole } from "../../settings/write-whole.ts";
import { LANGUAGES } from "../../words/i18n/languages.ts";
import { textsIn } from "../../words/i18n/translate.ts";
import { ownKinds } from "../../words/kinds/own-kinds.ts";
import { type Asset, type Built, compressFully } from "./asset.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
/** The sources of the build itself; package.json pins the tools' versions. */
const BUILDERS = [
  path.join(ROOT, "package.json"),
  ...readdirSync(import.meta.dirname).map((file) => path.join(import.meta.dirname, file)),
];

interface Kept extends Built {
  /** A hash of all inputs of the build. */
  readonly madeFrom: string;
}

const PUBLIC = path.join(import.meta.dirname, "../../../public");

/** The files of public/ as browsers get them: bundled, minified and named by a hash of their content. */
export interface Assets {
  /** The address of a file of public/: `js/search/search.js` → `/assets/js/search-3F2A9C1B.js`. Throws for a missing one. */
  readonly url: (file: string) => string;
  /** The addresses of a script's imports, for the browser to fetch all at once. */
  readonly importsOf: (file: string) => string[];
  /** Adds a file that is not in public/, such as an operator's picture; returns its address. */
  readonly add: (file: string, asset: Asset) => string;
  /** The file at a path below `/assets`; `isForever` if it never changes. */
  readonly find: (path: string) => (Asset & { isForever: boolean }) | undefined;
  /** Every file under its address. */
  readonly all: () => ReadonlyMap<string, Asset>;
}

const TYPES: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webp": "image/webp",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
};

/** Keyed by the operator's kinds, which scripts contain; a process has one set. */
const built = new Map<string, Promise<Built>>();

/**
 * Builds everything in public/, once in a process. Throws the errors of esbuild and lightningcss.
 * @param keptIn a folder to store the compressed build for the next start, if given
 */
export async function buildAssets(keptIn?: string): Promise<Assets> {
  const kinds = JSON.stringify(ownKinds());
  const making = built.get(kinds) ?? (keptIn === undefined ? build() : readOrBuild(keptIn));
  built.set(kinds, making);
  const { files, names, imports } = await making;
  return createAssets(new Map(files), new Map(names), imports);
}

/** Loads the tools only if something has changed since the last start. */
async function readOrBuild(folder: string): Promise<Built> {
  const kept = await readKeptBuild(folder);
  if (kept) return kept;
  const made = await build();
  const files = new Map<string, Asset>();
  // One by one, because compressing all at once would leave the memory of every thread with the process.
  for (const [name, asset] of made.files) files.set(name, await compressFully(asset));
  const complete = { ...made, files };
  await keepBuild(folder, complete);
  return complete;
}

function createAssets(
  files: Map<string, Asset>,
  names: Map<string, string>,
  imports: Built["imports"],
): Assets {
  const url = (file: string) => {
    const name = names.get(file);
    if (name === undefined) throw new Error(`public/ has no ${file}`);
    return `/assets/${name}`;
  };
  return {
    url,
    importsOf: (file) => (imports.get(file) ?? []).map((name) => `/assets/${name}`),
    add: (file, asset) => {
      const name = hashedName(file, asset.body);
      files.set(name, asset);
      names.set(file, name);
      return `/assets/${name}`;
    },
    find: (name) => {
      const asset = files.get(name);
      if (asset) return { ...asset, isForever: true };
      // Records refer to pictures without the hash.
      const plain = name.startsWith("img/") ? files.get(names.get(name) ?? "") : undefined;
      return plain && { ...plain, isForever: false };
    },
    all: () => files,
  };
}

async function build(): Promise<Built> {
  const [files, names] = [new Map<string, Asset>(), new Map<string, string>()];
  const add = (file: string, body: Buffer): string => {
    const name = hashedName(file, body);
    files.set(name, { type: findMediaType(file), body });
    names.set(file, name);
    return `/assets/${name}`;
  };
  const { buildStyles } = await import("./styles.ts");
  const { buildScripts } = await import("./scripts.ts");
  for (const file of listFiles("img")) add(file, readFileSync(path.join(PUBLIC, file)));
  const fileUrl = (file: string) => add(`files/${path.basename(file)}`, readFileSync(file));
  for (const { file, body } of await buildStyles(listFiles("css"), PUBLIC, fileUrl)) add(file, body);
  for (const language of LANGUAGES) add(`texts/${language}.js`, textsScript(language));
  const { scripts, imports, sources } = await buildScripts(
    listFiles("js").filter((file) => file.endsWith(".ts")),
    PUBLIC,
  );
  for (const { file, name, body } of scripts) {
    files.set(name, { type: findMediaType(name), body });
    if (file !== undefined) names.set(file, name);
  }
  return { files, names, imports, sources };
}

function hashedName(file: string, body: Buffer): string {
  const { dir, name, ext } = path.posix.parse(file);
  const digest = createHash("sha256").update(body).digest("hex").slice(0, 10);
  return `${dir}/${name}-${digest}${ext}`;
}

function findMediaType(file: string): string {
  return TYPES[path.extname(file)] ?? "application/octet-stream";
}

/** The build of an earlier start, or undefined if it is missing or one of its inputs has changed. */
async function readKeptBuild(folder: string): Promise<Built | undefined> {
  try {
    const { madeFrom, ...built }: Kept = deserialize(await readFile(fileIn(folder)));
    return madeFrom === hashOf(built.sources) ? built : undefined;
  } catch {
    return undefined;
  }
}

/** Stores a build, if that is possible. */
async function keepBuild(folder: string, built: Built): Promise<void> {
  const kept: Kept = { ...built, madeFrom: hashOf(built.sources) };
  try {
    await mkdir(folder, { recursive: true });
    await writeWhole(fileIn(folder), serialize(kept));
  } catch {
    // The next start builds again.
  }
}

function fileIn(folder: string): string {
  return path.join(folder, "assets.bin");
}

function hashOf(sources: readonly string[]): string {
  const hash = createHash("sha256").update(JSON.stringify(ownKinds()));
  for (const language of LANGUAGES) hash.update(textsScript(language));
  const files = [...listFiles("").map((file) => path.join(PUBLIC, file)), ...BUILDERS, ...sources];
  for (const file of files) hash.update(file).update(readFileSync(path.resolve(ROOT, file)));
  return hash.digest("hex");
}

/** The files of a folder of public/, as paths below public/ with slashes. */
function listFiles(folder: string): string[] {
  const files = readdirSync(path.join(PUBLIC, folder), { recursive: true, withFileTypes: true });
  return files
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(PUBLIC, path.join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort();
}

/** The texts of all pages' scripts in one language, cached like any script. */
function textsScript(language: string): Buffer {
  return Buffer.from(`window.siteTexts=${JSON.stringify(textsIn(language).script ?? {})}`);
}
