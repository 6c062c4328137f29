import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { deserialize, serialize } from "node:v8";
import { LANGUAGES } from "../../words/i18n/languages.ts";
import { hiddenSections } from "../../words/kinds/hidden-sections.ts";
import { ownKinds } from "../../words/kinds/own-kinds.ts";
import type { Built } from "./asset.ts";
import { listFiles, PUBLIC } from "./files.ts";
import { textsScript } from "./texts.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
/** The sources of the build itself; package.json pins the tools' versions. */
const BUILDERS = [
  "package.json",
  "src/web/assets/build.ts",
  "src/web/assets/scripts.ts",
  "src/web/assets/styles.ts",
];

interface Kept extends Built {
  /** A hash of all that the build was made from. */
  readonly madeFrom: string;
}

/** The build of an earlier start, or undefined if it is missing or one of its inputs has changed. */
export async function readKeptBuild(folder: string): Promise<Built | undefined> {
  try {
    const { madeFrom, ...built }: Kept = deserialize(await readFile(fileIn(folder)));
    return madeFrom === hashSources(built.sources) ? built : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a build; where that is not possible, the next start builds again. */
export async function keepBuild(folder: string, built: Built): Promise<void> {
  const draft = `${fileIn(folder)}.${randomBytes(6).toString("hex")}.draft`;
  const kept: Kept = { ...built, madeFrom: hashSources(built.sources) };
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(draft, serialize(kept));
    await rename(draft, fileIn(folder));
  } catch {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

function fileIn(folder: string): string {
  return path.join(folder, "assets.bin");
}

function hashSources(sources: readonly string[]): string {
  const hash = createHash("sha256").update(JSON.stringify([ownKinds(), hiddenSections()]));
  for (const language of LANGUAGES) hash.update(textsScript(language));
  const files = [...listFiles("").map((file) => path.join(PUBLIC, file)), ...BUILDERS, ...sources];
  for (const file of files) hash.update(file).update(readFileSync(path.resolve(ROOT, file)));
  return hash.digest("hex");
}
