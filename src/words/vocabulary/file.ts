import { createHash } from "node:crypto";
import { open, readFile, realpath, rm, stat } from "node:fs/promises";
import { nameDraft, writeWhole } from "../../settings/write-whole.ts";

export interface ReadFile {
  /** Without a byte order mark; empty if there is no file. */
  readonly text: string;
  /** Differs whenever the content does. */
  readonly stamp: string;
  readonly isThere: boolean;
}

/** @throws the file system's error, unless the file merely does not exist */
export async function readTextFile(file: string): Promise<ReadFile> {
  try {
    const text = (await readFile(file, "utf8")).replace(/^\ufeff/, "");
    return { text, stamp: createHash("sha256").update(text).digest("hex").slice(0, 32), isThere: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return { text: "", stamp: "none", isThere: false };
  }
}

/** Why a file cannot be written, as the system's code (`EROFS`); undefined: it can. Tries it with a file beside it. */
export async function writeObstacle(file: string): Promise<string | undefined> {
  try {
    const target = await resolveTarget(file);
    const draft = nameDraft(target);
    await (await open(draft, "wx")).close();
    await rm(draft, { force: true });
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}

/**
 * Replaces a file in one step, so that a reader finds the old content or the new one. A link stays one; the access rights
 * stay too.
 * @throws the file system's error, with nothing changed
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  const target = await resolveTarget(file);
  const mode = await stat(target).then(
    (found) => found.mode,
    () => 0o644,
  );
  await writeWhole(target, text, { mode, sync: true });
}

/** The system's code of an error. */
export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "EIO";
}

async function resolveTarget(file: string): Promise<string> {
  return realpath(file).catch(() => file);
}
