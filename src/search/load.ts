import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { endianness } from "node:os";
import path from "node:path";
import { deserialize, serialize } from "node:v8";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { crc32 } from "node:zlib";
import type { Logger } from "pino";
import { readVersions } from "../db/change-feed.ts";
import { createDb, type Db } from "../db/connect.ts";
import { selectRow, selectRows } from "../db/rows.ts";
import type { CatalogueKind } from "../words/kinds/kinds.ts";
import { type IndexedKind, isOtherKind, type OtherKind } from "../words/kinds/searchable-kinds.ts";
import { IndexBuilder, type IndexData } from "./index/build.ts";
import { compareRank, type RecordToIndex } from "./index/records.ts";
import { readSimplifications } from "./normalise.ts";
import {
  addKindWords,
  hasMoreThan,
  indexVersion,
  kindWords,
  listShopNames,
  readInRankOrder,
  readValueKeys,
} from "./queries.ts";
import { sitePages } from "./site-pages.ts";

/** Smaller indexes are built between two requests: starting a thread would take longer, and so would a file. */
const INLINE_RECORDS = 2_000;

/** An index, and the version of its records. */
export interface LoadedIndex {
  readonly version: number;
  readonly data: IndexData;
}

export interface IndexSourceOptions {
  readonly db: Db;
  readonly log: Logger;
  /** The address of `db`, for threads, which connect by themselves. */
  readonly databaseUrl: string;
  /** Larger indexes are built in a thread; 2,000 records by default. */
  readonly inlineRecords?: number;
  /** Keeps large indexes for the next start, a file a kind. Any number of processes may share it. */
  readonly indexFolder?: string | undefined;
}

/** Where indexes come from: from disk if what has changed since is known, else they are built. */
export class IndexSource {
  readonly #options: IndexSourceOptions;
  #isTold = false;

  constructor(options: IndexSourceOptions) {
    this.#options = options;
  }

  /**
   * An index of the current records, or of a version that has its later changes listed. @throws what failed; the
   * signal's reason
   */
  async load(kind: IndexedKind, signal: AbortSignal): Promise<LoadedIndex> {
    signal.throwIfAborted();
    const { db, databaseUrl, indexFolder, inlineRecords = INLINE_RECORDS } = this.#options;
    if (isOtherKind(kind)) return loadOther(db, kind);
    const file = indexFolder === undefined ? undefined : path.join(indexFolder, `${kind}.index`);
    if (!(await hasMoreThan(db, kind, inlineRecords))) {
      if (file !== undefined) await rm(file, { force: true }).catch(() => undefined);
      return loadIndex(db, kind);
    }
    const stored = file === undefined ? undefined : await this.#readStored(kind, file);
    if (stored) return { version: stored.origin.version, ...stored };
    const order = { url: databaseUrl, kind, words: kindWords(kind), file };
    const { failure, ...loaded } = await loadInThread(order, signal);
    if (failure !== undefined && !this.#isTold) {
      this.#isTold = true;
      const told = "search indexes cannot be kept on disk: the next start has to build them";
      this.#options.log.warn({ err: failure }, told);
    }
    return loaded;
  }

  async #readStored(kind: CatalogueKind, file: string): Promise<StoredIndex | undefined> {
    const { db, log } = this.#options;
    return readStoredIndex(file, (origin) => hasBeenAt(db, kind, origin)).catch((error: unknown) => {
      log.warn({ err: error, kind }, "a search index on disk is of no use");
      return undefined;
    });
  }
}

/** Builds the index of a kind from one snapshot of its records. */
async function loadIndex(
  db: Db,
  kind: CatalogueKind,
  words: readonly string[] = kindWords(kind),
): Promise<LoadedIndex & StoredIndex> {
  return db.transaction(
    async (transaction) => {
      // A million records take longer than requests may, and more memory to sort.
      await transaction.raw("set local statement_timeout = 0; set local work_mem = '64MB'");
      const origin = await readOrigin(transaction, kind);
      const keys = await readValueKeys(transaction, kind);
      const builder = new IndexBuilder(keys);
      for await (const records of readInRankOrder(transaction, kind, keys)) {
        for (const record of addKindWords(records, words)) builder.add(record);
      }
      return { version: origin.version, origin, data: builder.finish() };
    },
    { isolationLevel: "repeatable read", readOnly: true },
  );
}

/** What a thread is to build: an index of a kind, from a database. */
interface BuildOrder {
  readonly url: string;
  readonly kind: CatalogueKind;
  /** The words for the kind: a thread does not know the operator's kinds. */
  readonly words: readonly string[];
  /** Where to keep the index for the next start. */
  readonly file: string | undefined;
}

/** What a thread has built, and why it could not be kept. */
interface Built extends LoadedIndex {
  readonly failure?: unknown;
}

/**
 * Builds the index of a kind in a thread, so that the process keeps answering requests.
 * @throws what failed in the thread, or that it ended without a result; the signal's reason if that ended it
 */
function loadInThread(order: BuildOrder, signal: AbortSignal): Promise<Built> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const thread = new Worker(new URL(import.meta.url), { workerData: { indexToBuild: order } });
    const end = () => void thread.terminate();
    signal.addEventListener("abort", end, { once: true });
    thread.once("message", resolve);
    thread.once("messageerror", reject);
    thread.once("error", reject);
    thread.once("exit", (code) => {
      signal.removeEventListener("abort", end);
      // After a message or an error this has no effect.
      reject(signal.aborted ? signal.reason : new Error(`the thread ended without a result (code ${code})`));
    });
  });
}

/** What the thread does: builds an index over a connection of its own. */
async function runInThread({ url, kind, words, file }: BuildOrder): Promise<void> {
  const db = createDb({ url, poolMax: 1, applicationName: "almanac search index" });
  const { version, origin, data } = await loadIndex(db, kind, words).finally(() => db.destroy());
  const failure =
    file === undefined
      ? undefined
      : await storeIndex(file, { origin, data }).catch((error: unknown) => error);
  const built: Built = { version, data, failure };
  parentPort?.postMessage(built, buffersOf(data));
}

/** The memory of all typed arrays of an index, which moves to another thread without a copy. */
function buffersOf(data: object): ArrayBuffer[] {
  return Object.values(data).flatMap((value: unknown) => {
    if (ArrayBuffer.isView(value)) return [value.buffer as ArrayBuffer];
    return typeof value === "object" && value !== null ? buffersOf(value) : [];
  });
}

const READ: Readonly<Record<OtherKind, (db: Db) => Promise<RecordToIndex[]>>> = {
  servers: readServers,
  shop: readShop,
  pages: async () => sitePages(),
};

/**
 * Builds the index of a kind outside the catalogue. It has some hundred records, so each change loads all of them.
 * Reads the version first: concurrent changes are loaded again.
 */
async function loadOther(db: Db, kind: OtherKind): Promise<LoadedIndex> {
  const version = indexVersion(kind, await readVersions(db));
  const records = await READ[kind](db);
  const builder = new IndexBuilder();
  for (const record of records.sort(compareRank)) builder.add(record);
  return { version, data: builder.finish() };
}

/** Servers by their names and addresses, with their game as a value. */
async function readServers(db: Db): Promise<RecordToIndex[]> {
  const words = kindWords("servers");
  const rows = await selectRows<{ id: string; name: string; game: string | null; address: string | null }>(
    db,
    "select id, name, game, address from servers",
  );
  return rows.map(({ id, name, game, address }) => ({
    id,
    name,
    names: {},
    category: game,
    image: null,
    popularity: null,
    aliases: address === null ? [] : [address],
    values: game === null ? words : [game, ...words],
  }));
}

/** By their names and those of the entries that they are or unlock. */
async function readShop(db: Db): Promise<RecordToIndex[]> {
  const words = kindWords("shop");
  return (await listShopNames(db)).map(({ key, name, names, category, image, entry }) => ({
    id: key,
    name,
    names,
    category,
    image,
    popularity: null,
    aliases: entry ? [entry.name, ...Object.values(entry.names)] : [],
    values: category === null ? words : [category, ...words],
  }));
}

/** Which records an index was made of. Two equal ones stand for equal records. */
interface Origin {
  readonly version: number;
  /** A random UUID, another one with each change; a copy or a backup of the database has the same until it changes. */
  readonly stamp: string;
  /** The table's number in the database: a table that was dropped and restored alone has a foreign stamp. */
  readonly table: number;
}

/** An index and the records that it was made of. */
interface StoredIndex {
  readonly origin: Origin;
  readonly data: IndexData;
}

/** A checksum, then what `serialize` makes of the index and of the code that built it. */
const CHECKSUM_BYTES = 4;

/**
 * Writes an index for the next start. The file appears whole or not at all. Two processes that write at once may damage
 * it, which the checksum shows: then the next start builds the index again.
 */
async function storeIndex(file: string, index: StoredIndex): Promise<void> {
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
async function readStoredIndex(
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
async function readOrigin(db: Db, kind: CatalogueKind): Promise<Origin> {
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
async function hasBeenAt(db: Db, kind: CatalogueKind, origin: Origin): Promise<boolean> {
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

if (!isMainThread && workerData?.indexToBuild) await runInThread(workerData.indexToBuild);
