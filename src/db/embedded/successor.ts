import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import path from "node:path";
import { syncFolder } from "../../settings/sync-folder.ts";

/** The folder for the next major version's database, beside the one that it will replace. */
export function draftOf(directory: string): string {
  return `${directory}.upgrading`;
}

const readyOf = (directory: string) => `${directory}.upgraded`;

/** The folder of the previous database. */
export function keptOf(directory: string, version: number): string {
  return `${directory}-${version}`;
}

/**
 * Replaces a database with the filled draft, and keeps it under another name. If the process is killed in between, the
 * next start finishes it.
 */
export async function putSuccessor(directory: string, version: number): Promise<void> {
  await rename(draftOf(directory), readyOf(directory));
  await rename(directory, keptOf(directory, version));
  await finishSuccession(directory);
}

/** Removes the remains of an incomplete upgrade; does nothing if a draft is waiting to replace the database. */
export async function discardSuccessor(directory: string): Promise<void> {
  if (!existsSync(directory)) return;
  for (const left of [draftOf(directory), readyOf(directory)])
    await rm(left, { recursive: true, force: true, maxRetries: 10 });
}

/** Resolves to true if a draft was waiting to replace the database. */
export async function finishSuccession(directory: string): Promise<boolean> {
  if (!existsSync(readyOf(directory))) return false;
  await rename(readyOf(directory), directory);
  await syncFolder(path.dirname(directory));
  return true;
}
