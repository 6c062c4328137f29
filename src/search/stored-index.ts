import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { endianness } from "node:os";
import path from "node:path";
import { deserialize, serialize } from "node:v8";
import { crc32 } from "node:zlib";
import type { Db } from "../db/connect.ts";
import { selectRow } from "../db/rows.ts";
import type { CatalogueKind } from "../words/kinds/kinds.ts";
import type { IndexData } from "./index/build.ts";
import { readSimplifications } from "./normalise.ts";

/** Which records an index was made of. Two equal ones stand for equal records. */
export interface Origin {
  readonly version: number;
  /** A random UUID, another one with each change; a copy or a backup of the database has the same until it changes. */
  readonly stamp: string;
  /** The table's number in the database: a table that was dropped and restored alone has a foreign stamp. */
  readonly table: number;
}

/** An index and the records that it was made of. */
export interface StoredIndex {
  readonly origin: Origin;
  readonly data: IndexData;
}

/** A checksum, then what `serialize` makes of the index and of the code that built it. */
const CHECKSUM_BYTES = 4;

/**
 * Writes an index for the next start. The file appears whole or not at all. Two processes that write at once may damage
 * it, which the checksum shows: then the next start builds the index again.
 */
export async function storeIndex(file: string, index: StoredIndex): Promise<void> {
  const content = serialize({ ...index, code: await codeOfIndexes() });
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(content));
  const draft = `${file}.draft`;
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  // Else a power cut may leave the name of the new file with half of its content.
  await writeFile(draft, [checksum, content], { flush: true, mode: 0o600 });
  await rename(draft, file);
}

/**
 * The index in a file if the same code built it and its origin is accepted; undefined too if there is no file.
 * @throws if the file is damaged or cannot be read
 */
export async function readStoredIndex(
  file: string,
  accepts: (origin: Origin) => Promise<boolean>,
): Promise<StoredIndex | undefined> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (!bytes) return undefined;
  const content = bytes.subarray(CHECKSUM_BYTES);
  if (bytes.length < CHECKSUM_BYTES || bytes.readUInt32LE() !== crc32(content)) {
    throw new Error("the file is damaged");
  }
  const { code, ...index } = deserialize(content) as StoredIndex & { code: string };
  return code === (await codeOfIndexes()) && (await accepts(index.origin)) ? index : undefined;
}

/** The origin of what a connection or transaction sees of a kind. */
export async function readOrigin(db: Db, kind: CatalogueKind): Promise<Origin> {
  return selectRow<Origin>(
    db,
    `select version, stamp, cast(? as regclass)::oid as "table" from catalogue_versions where kind = ?`,
    [kind, kind],
  );
}

/**
 * Whether a kind has been at an origin, and what has changed since is listed. False for a later state that a restored
 * backup does not have, and for one that is too many changes ago.
 */
export async function hasBeenAt(db: Db, kind: CatalogueKind, origin: Origin): Promise<boolean> {
  const row = await selectRow<{ listed: boolean }>(
    db,
    `select cast(? as regclass)::oid = ? and exists (
       select from catalogue_stamps join catalogue_versions current using (kind)
        where kind = ? and catalogue_stamps.version = ? and catalogue_stamps.stamp = ?
          and current.listed_from <= catalogue_stamps.version) as listed`,
    [kind, origin.table, kind, origin.version, origin.stamp],
  );
  return row.listed;
}

/** The folder that holds all code which decides what an index looks like. */
const SOURCES = import.meta.dirname;

let known: Promise<string> | undefined;

/**
 * A hash over the sources of the search. Another release, or another Node whose Unicode tables fold names differently,
 * must not read an index of this one. Numbers have the machine's byte order.
 */
function codeOfIndexes(): Promise<string> {
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
