import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, onTestFinished } from "vitest";

/** A temporary folder for a test file, removed after its tests. */
export function useFolder() {
  const folder = createFolder();
  afterAll(() => rmSync(folder, { recursive: true }));
  /** Writes a file into the folder; returns its path. */
  const fileOf = (name: string, content: string | Uint8Array): string => {
    const file = path.join(folder, name);
    writeFileSync(file, content);
    return file;
  };
  return { folder, fileOf };
}

/** A temporary folder for one test. */
export function makeFolder(): string {
  const folder = createFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function createFolder(): string {
  return mkdtempSync(path.join(tmpdir(), "almanac-"));
}
