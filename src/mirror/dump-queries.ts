import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import { selectRow, selectRows } from "../db/rows.ts";
import type { CatalogueKind } from "../kinds/kinds.ts";

/** Bytes of each part but the last. */
export const PART_BYTES = 512 * 1024;
/** A dump that was replaced stays for so long, for those who are reading it. */
const KEPT_REPLACED = "15 minutes";

/** The file of a kind, without its bytes. */
export interface Dump {
  readonly id: number;
  /** What the file is of. */
  readonly version: number;
  readonly stamp: string;
  readonly shape: string;
  readonly made_at: Date;
  readonly records: number;
  readonly bytes: number;
  /** Of the file. */
  readonly sha256: Buffer;
}

/** The latest dump of a kind; undefined before there is one, and where the changes since are not known any more. */
export async function findDump(db: Db, kind: CatalogueKind): Promise<Dump | undefined> {
  const [dump] = await selectRows<Dump>(
    db,
    `select * from (
       select id, kind, version, stamp, shape, made_at, records, bytes, sha256
         from catalogue_dumps where kind = ? order by id desc limit 1) latest
      where version >= (select followed_from from catalogue_versions v where v.kind = latest.kind)`,
    [kind],
  );
  return dump;
}

/** The bytes of a dump from one place up to another, in pieces, each by one short query. */
export async function* readDump(
  db: Db,
  { id }: Pick<Dump, "id">,
  { start, end }: { start: number; end: number },
): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const part = Math.floor(at / PART_BYTES);
    const { content } = await selectRow<{ content: Buffer }>(
      db,
      "select content from catalogue_dump_parts where dump = ? and part = ?",
      [id, part],
    );
    const from = part * PART_BYTES;
    yield content.subarray(at - from, end - from);
    at = from + PART_BYTES;
  }
}

/** What decides whether a kind needs a new dump. */
export interface DumpState {
  readonly kind: string;
  /** Null before there is one. */
  readonly shape: string | null;
  /** The changes since are known; null before there is one. */
  readonly is_followed: boolean | null;
  /** Anything has changed since. */
  readonly is_outdated: boolean;
  /** An import has changed it since. */
  readonly is_imported: boolean;
  /** Seconds since it was made. */
  readonly age: number;
  /** That it took to make. */
  readonly seconds: number;
}

/** The states of all kinds in the database, those that the vocabulary no longer has included. */
export async function listDumpStates(db: Db, kind: string | null = null): Promise<DumpState[]> {
  return selectRows<DumpState>(
    db,
    `select v.kind, d.shape, d.version is distinct from v.version or d.stamp <> v.stamp as is_outdated,
            d.version >= v.followed_from as is_followed,
            coalesce((select max(id) from imports where imports.kind = v.kind), 0)
              > coalesce(d.import_id, 0) as is_imported,
            coalesce(extract(epoch from clock_timestamp() - d.made_at), 0)::float8 as age,
            coalesce(d.seconds, 0) as seconds
       from catalogue_versions v
       left join lateral (select * from catalogue_dumps d where d.kind = v.kind order by id desc limit 1) d on true
      where v.kind = coalesce(:kind, v.kind)`,
    { kind },
  );
}

/** Lets one transaction at a time make a dump of a kind; false: another one does. Lifts the time limits of requests. */
export async function beginDump(transaction: Knex.Transaction, kind: CatalogueKind): Promise<boolean> {
  await transaction.raw("set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0");
  const { free } = await selectRow<{ free: boolean }>(
    transaction,
    "select pg_try_advisory_xact_lock(hashtext(?)) as free",
    [`almanac dump ${kind}`],
  );
  return free;
}

/** Adds a dump without bytes, of the state that the transaction sees. */
export async function addDump(
  transaction: Knex.Transaction,
  kind: CatalogueKind,
  shape: string,
): Promise<number> {
  const { id } = await selectRow<{ id: number }>(
    transaction,
    `insert into catalogue_dumps (kind, version, stamp, shape, import_id)
     select kind, version, stamp, :shape, (select max(id) from imports where imports.kind = v.kind)
       from catalogue_versions v where kind = :kind returning id`,
    { kind, shape },
  );
  return id;
}

export async function addPart(
  transaction: Knex.Transaction,
  dump: number,
  part: number,
  content: Buffer,
): Promise<void> {
  await transaction.raw("insert into catalogue_dump_parts values (?, ?, ?)", [dump, part, content]);
}

export async function completeDump(
  transaction: Knex.Transaction,
  id: number,
  { records, bytes, sha256, seconds }: Pick<Dump, "records" | "bytes" | "sha256"> & { seconds: number },
): Promise<void> {
  await transaction("catalogue_dumps").where({ id }).update({ records, bytes, sha256, seconds });
}

/** Removes dumps that were replaced a while ago. */
export async function removeReplacedDumps(db: Db): Promise<void> {
  await db.raw(
    `delete from catalogue_dumps d
      where exists (
        select from catalogue_dumps later
         where later.kind = d.kind and later.id > d.id
           and later.made_at + make_interval(secs => later.seconds) < now() - interval '${KEPT_REPLACED}')`,
  );
}

/** The rows of a kind by id, in batches. Needs a transaction, for its cursor. */
export async function* readRows(
  transaction: Knex.Transaction,
  kind: CatalogueKind,
  batch: number,
): AsyncGenerator<{ id: string }[]> {
  await transaction.raw("declare dumped no scroll cursor for select * from ?? order by id", [kind]);
  for (;;) {
    const rows = await selectRows<{ id: string }>(transaction, `fetch ${batch} from dumped`);
    if (rows.length > 0) yield rows;
    if (rows.length < batch) return;
  }
}
