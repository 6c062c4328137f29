import { readdirSync } from "node:fs";
import path from "node:path";

export const PUBLIC = path.join(import.meta.dirname, "../../../public");

/** The files of a folder of public/, as paths below public/ with slashes. */
export function listFiles(folder: string): string[] {
  const files = readdirSync(path.join(PUBLIC, folder), { recursive: true, withFileTypes: true });
  return files
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(PUBLIC, path.join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort();
}
