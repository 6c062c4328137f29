import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { Writable } from "node:stream";
import type { Knex } from "knex";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { closeConnection, openReader } from "../../db/connect.ts";
import { pendingMigrations } from "../../db/migrate.ts";
import { ArchiveWriter, intoStream, openFile } from "./archive-writer.ts";
import { BackupError } from "./backup-error.ts";
import {
  ABOUT,
  type BackupHeader,
  DATA,
  FORMAT_VERSION,
  HEADER,
  JOBS,
  PICTURES,
  SECRETS,
  SETTINGS,
} from "./format.ts";
import { readPictureFolder, readPictureTable } from "./picture-files.ts";
import { cutRows } from "./row-parts.ts";
import { COPY_SETTINGS, type Contents, openSnapshot, SELECT_JOBS } from "./snapshot-queries.ts";
import { LEFT_OUT_TABLES } from "./tables.ts";

/** The files of a site that are not in its database. */
export interface SitePlaces {
  readonly dataDir: string;
  readonly pictures: "files" | "database";
  readonly vocabularyFile: string;
  /** Pictures that settings name: the logo and the map. */
  readonly look: readonly string[];
  /** The settings as `describeConfig` shows them, for the operator to read. */
  readonly settings: Record<string, unknown>;
}

export interface BackupOptions {
  readonly site: SitePlaces;
  /** Replaces a file of the same name. */
  readonly force?: boolean;
  /** Takes the secrets of DATA_DIR and the log-ins too. */
  readonly secrets?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: BackupProgress) => void;
}

/** How far a backup, a check or a restore is; `done` and `total` are of the same unit, `total` is 0 if not known. */
export interface BackupProgress {
  readonly doing: string;
  readonly done: number;
  readonly total: number;
}

export interface BackupSummary {
  readonly bytes: number;
  readonly sha256: string;
  readonly tables: number;
  readonly rows: number;
  readonly pictureFiles: number;
  /** Left-out parts that an operator may miss; the header has all of them. */
  readonly leftOut: BackupHeader["leftOut"];
}

/**
 * Writes everything of a site into a file or a stream: one state of its database, while others go on writing, its pictures and
 * settings.
 * @throws BackupError, with nothing written, if it cannot
 */
export async function takeBackup(
  db: Knex,
  to: string | Writable,
  options: BackupOptions,
): Promise<BackupSummary> {
  // Throws for a schema of a newer version, whose tables this one does not know.
  await pendingMigrations(db);
  const connection = await openReader(db, "almanac backup");
  try {
    await connection.query(COPY_SETTINGS);
    const contents = await openSnapshot(connection, { sessions: options.secrets ?? false });
    if (!contents) throw new BackupError("there is no site in this database: it has no tables");
    const createdAt = new Date();
    const target =
      typeof to === "string" ? await openFile(to, { replaces: options.force ?? false }) : intoStream(to);
    try {
      const writer = new ArchiveWriter(target, createdAt);
      return await write(writer, connection, makeHeader(contents, createdAt, options), contents, options);
    } catch (error) {
      await target.discard();
      throw error;
    }
  } finally {
    await closeConnection(connection);
  }
}

function makeHeader(contents: Contents, createdAt: Date, options: BackupOptions): BackupHeader {
  const { foreign: _, estimatedRows: __, hasJobs: ___, ...described } = contents;
  const derived = LEFT_OUT_TABLES.map(({ table, why }) => ({ what: `table ${table}`, why }));
  return {
    format: "almanac-backup",
    version: FORMAT_VERSION,
    about: ABOUT,
    createdAt: createdAt.toISOString(),
    ...described,
    leftOut: [...derived, ...listMissed(contents, options)],
  };
}

/** The left-out parts that cannot be rebuilt. */
function listMissed({ foreign }: Contents, { secrets, site }: BackupOptions): BackupHeader["leftOut"] {
  const secret = "; included with --secrets";
  return [
    ...foreign.map((table) => ({ what: `table ${table}`, why: "it is not Almanac's" })),
    ...(secrets
      ? []
      : [
          { what: "log-ins", why: `whoever has one is that user${secret}` },
          { what: path.join(site.dataDir, "secrets"), why: `signs log-ins, links and webhooks${secret}` },
        ]),
    { what: "the environment", why: "has passwords; what is set without them is in settings/settings.json" },
  ];
}

async function write(
  writer: ArchiveWriter,
  connection: pg.Client,
  header: BackupHeader,
  contents: Contents,
  options: BackupOptions,
): Promise<BackupSummary> {
  const json = (value: object) => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
  await writer.add(HEADER, json(header));
  await writer.add(`${SETTINGS}settings.json`, json(options.site.settings));
  for (const [name, content] of await readSettings(options)) await writer.add(name, content);
  const rows: Record<string, number> = {};
  let total = 0;
  const copies = header.tables.map(({ name, columns }) => ({
    name,
    sql: `select ${columns.map(pg.escapeIdentifier).join(", ")} from ${pg.escapeIdentifier(name)}`,
  }));
  if (contents.hasJobs) copies.push({ name: JOBS, sql: SELECT_JOBS });
  for (const { name, sql } of copies) {
    let parts = 0;
    rows[name] = 0;
    for await (const part of cutRows(connection.query(copyTo(`copy (${sql}) to stdout`)))) {
      options.signal?.throwIfAborted();
      parts += 1;
      await writer.add(`${DATA}${name}/${String(parts).padStart(6, "0")}.tsv.gz`, part.content);
      rows[name] += part.rows;
      total += part.rows;
      options.onProgress?.({ doing: name, done: total, total: Math.max(contents.estimatedRows, total) });
    }
  }
  const pictureFiles = await writePictures(writer, connection, options);
  await connection.query("rollback");
  const { bytes, sha256 } = await writer.complete({ rows, pictureFiles });
  const { tables } = header;
  const leftOut = listMissed(contents, options);
  return { bytes, sha256, tables: tables.length, rows: total, pictureFiles, leftOut };
}

async function writePictures(
  writer: ArchiveWriter,
  connection: pg.Client,
  { site, signal, onProgress }: BackupOptions,
): Promise<number> {
  const files =
    site.pictures === "database"
      ? readPictureTable(connection)
      : readPictureFolder(path.join(site.dataDir, "pictures"));
  let count = 0;
  for await (const { name, content } of files) {
    signal?.throwIfAborted();
    await writer.add(PICTURES + name, content);
    count += 1;
    onProgress?.({ doing: "pictures", done: count, total: 0 });
  }
  return count;
}

/** The operator's files, and with `secrets` the site's, by their names in the backup. */
async function readSettings({ site, secrets }: BackupOptions): Promise<[string, Buffer][]> {
  const files: [string, string][] = [[`${SETTINGS}site.json`, site.vocabularyFile]];
  for (const file of site.look) files.push([`${SETTINGS}${safeName(path.basename(file))}`, file]);
  if (secrets) {
    const folder = path.join(site.dataDir, "secrets");
    const names = await readdir(folder).catch((): string[] => []);
    for (const name of names.filter((name) => /^[a-z][a-z-]*$/.test(name)))
      files.push([`${SECRETS}${name}`, path.join(folder, name)]);
  }
  const read: [string, Buffer][] = [];
  for (const [name, file] of files) {
    const content = await readFile(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    if (content) read.push([name, content]);
  }
  return read;
}

/** A file's name within the bounds of a backup's. */
function safeName(name: string): string {
  return `look-${name.replaceAll(/[^\w.-]/g, "_").slice(-60)}`;
}
