import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { endianness } from "node:os";
import path from "node:path";
import { readSimplifications } from "../han.ts";

/** The folder that holds all code which decides what an index looks like. */
const SOURCES = path.join(import.meta.dirname, "..");

let known: Promise<string> | undefined;

/**
 * A hash over the sources of the search and of its imports. Another release, or another Node whose Unicode tables
 * fold names differently, must not read an index of this one. Numbers have the machine's byte order.
 */
export function codeOfIndexes(): Promise<string> {
  known ??= hashSources();
  return known;
}

async function hashSources(): Promise<string> {
  const { unicode, icu } = process.versions;
  const hash = createHash("sha256").update(`${unicode} ${icu} ${endianness()} ${readSimplifications()}`);
  const files = (await readdir(SOURCES, { recursive: true })).filter((file) => /\.m?ts$|\.mjs$/.test(file));
  for (const file of files.sort()) hash.update(file).update(await readFile(path.join(SOURCES, file)));
  return hash.digest("hex");
}
