import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { endianness } from "node:os";
import path from "node:path";
import type { Db } from "../../db/connect.ts";
import { selectRow } from "../../db/rows.ts";
import type { CatalogueKind } from "../../words/kinds/kinds.ts";
import { readSimplifications } from "../han.ts";

/** Which records an index was made of. Two equal ones stand for equal records. */
export interface Origin {
  readonly version: number;
  /** A random UUID, another one with each change; a copy or a backup of the database has the same until it changes. */
  readonly stamp: string;
  /** The table's number in the database: a table that was dropped and restored alone has a foreign stamp. */
  readonly table: number;
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
