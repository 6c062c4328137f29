import type { Db } from "../../db/connect.ts";
import { selectRow } from "../../db/rows.ts";
import type { CatalogueKind } from "../../kinds/kinds.ts";

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
