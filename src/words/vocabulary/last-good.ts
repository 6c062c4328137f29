import { readFileSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "./file.ts";
import { readVocabulary } from "./read.ts";
import type { VocabularyFile } from "./schema.ts";

/** A vocabulary, and the text that it was read from. */
export interface ReadText {
  readonly file: VocabularyFile;
  readonly text: string;
}

/** The copy of the last vocabulary without mistakes; undefined if it is missing, or this version cannot use it. */
export function readLastGood(copy: string): ReadText | undefined {
  try {
    const text = readFileSync(copy, "utf8");
    const { vocabulary } = readVocabulary(text);
    return vocabulary && { file: vocabulary, text };
  } catch {
    return undefined;
  }
}

/**
 * Writes the copy unless it is the same; removes it for undefined.
 * @throws the file system's error
 */
export async function keepLastGood(copy: string, text: string | undefined): Promise<void> {
  if (text === undefined) return rm(copy, { force: true });
  if ((await readFile(copy, "utf8").catch(() => undefined)) === text) return;
  await mkdir(path.dirname(copy), { recursive: true });
  await replaceFile(copy, text);
}
