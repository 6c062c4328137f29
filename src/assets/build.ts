import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { bundleAsync, type Targets } from "lightningcss";
import { LANGUAGES } from "../i18n/languages.ts";
import { textsIn } from "../i18n/translate.ts";
import { ownKinds } from "../kinds/own-kinds.ts";
import { buildScripts } from "./scripts.ts";

/** A file as it is served. */
export interface Asset {
  readonly type: string;
  readonly body: Buffer;
}

/** The files of public/ as browsers get them: bundled, minified and named by a hash of their content. */
export interface Assets {
  /** The address of a file of public/: `js/search.js` → `/assets/js/search-3F2A9C1B.js`. Throws for a missing one. */
  readonly url: (file: string) => string;
  /** The addresses of a script's imports, for the browser to fetch all at once. */
  readonly importsOf: (file: string) => string[];
  /** Adds a file that is not in public/, such as an operator's picture; returns its address. */
  readonly add: (file: string, asset: Asset) => string;
  /** The file at a path below `/assets`; `isForever`: it never changes. */
  readonly find: (path: string) => (Asset & { isForever: boolean }) | undefined;
  /** Every file under its address. */
  readonly all: () => ReadonlyMap<string, Asset>;
}

const PUBLIC = path.join(import.meta.dirname, "../../public");

const TYPES: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webp": "image/webp",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
};

/** By the operator's kinds, which scripts have in them; a process has one. */
const built = new Map<string, Promise<Built>>();

interface Built {
  files: Map<string, Asset>;
  /** Address below `/assets` of each file of public/. */
  names: Map<string, string>;
  imports: Map<string, string[]>;
}

/** Builds everything in public/, once in a process. Throws the errors of esbuild and lightningcss. */
export async function buildAssets(): Promise<Assets> {
  const kinds = JSON.stringify(ownKinds());
  const making = built.get(kinds) ?? build();
  built.set(kinds, making);
  const { files, names, imports } = await making;
  return assetsOf(new Map(files), new Map(names), imports);
}

function assetsOf(files: Map<string, Asset>, names: Map<string, string>, imports: Built["imports"]): Assets {
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
      // Records name pictures without the hash.
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
    files.set(name, { type: typeOf(file), body });
    names.set(file, name);
    return `/assets/${name}`;
  };
  for (const file of filesIn("img")) add(file, readFileSync(path.join(PUBLIC, file)));
  const fileUrl = (file: string) => add(`files/${path.basename(file)}`, readFileSync(file));
  for (const { file, body } of await buildStyles(filesIn("css"), PUBLIC, fileUrl)) add(file, body);
  for (const language of LANGUAGES) add(`texts/${language}.js`, textsScript(language));
  const { scripts, imports } = await buildScripts(
    filesIn("js").filter((file) => file.endsWith(".ts")),
    PUBLIC,
  );
  for (const { file, name, body } of scripts) {
    files.set(name, { type: typeOf(name), body });
    if (file !== undefined) names.set(file, name);
  }
  return { files, names, imports };
}

/** The texts of all pages' scripts in one language, cached like any script. */
function textsScript(language: string): Buffer {
  return Buffer.from(`window.siteTexts=${JSON.stringify(textsIn(language).script ?? {})}`);
}

function filesIn(folder: string): string[] {
  const files = readdirSync(path.join(PUBLIC, folder), { recursive: true, withFileTypes: true });
  return files
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(PUBLIC, path.join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort();
}

function hashedName(file: string, body: Buffer): string {
  const { dir, name, ext } = path.posix.parse(file);
  const digest = createHash("sha256").update(body).digest("hex").slice(0, 10);
  return `${dir}/${name}-${digest}${ext}`;
}

function typeOf(file: string): string {
  return TYPES[path.extname(file)] ?? "application/octet-stream";
}

/** Browsers of the last five years, for which newer syntax (`light-dark()`, nesting) is rewritten. */
const TARGETS: Targets = { chrome: 87 << 16, firefox: 78 << 16, safari: 14 << 16, ios_saf: 14 << 16 };

interface Style {
  file: string;
  body: Buffer;
}

/** Bundles and minifies style sheets. `fileUrl` returns the address of a file that a sheet names, such as a font. */
async function buildStyles(
  files: string[],
  folder: string,
  fileUrl: (file: string) => string,
): Promise<Style[]> {
  return Promise.all(
    files.map(async (file) => ({ file, body: await bundleStyle(path.join(folder, file), fileUrl) })),
  );
}

async function bundleStyle(filename: string, fileUrl: (file: string) => string): Promise<Buffer> {
  const { code, dependencies } = await bundleAsync({
    filename,
    minify: true,
    targets: TARGETS,
    analyzeDependencies: { preserveImports: true },
  });
  let css = Buffer.from(code).toString();
  for (const dependency of dependencies || []) {
    if (dependency.type !== "url") continue;
    const target = path.resolve(path.dirname(dependency.loc.filePath), dependency.url);
    css = css.replaceAll(dependency.placeholder, isFile(dependency.url) ? fileUrl(target) : dependency.url);
  }
  return Buffer.from(css);
}

function isFile(url: string): boolean {
  return !/^(data:|https?:|#)/.test(url);
}
