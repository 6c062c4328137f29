import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { type ArchiveEntry, parseJson, readArchive } from "./archive-reader.ts";
import { BackupError } from "./backup-error.ts";
import {
  type BackupHeader,
  DATA,
  FORMAT_VERSION,
  HEADER,
  headerSchema,
  PICTURES,
  SEAL,
  type Seal,
  sealSchema,
} from "./format.ts";
import { countLines } from "./row-parts.ts";
import type { BackupProgress } from "./take-backup.ts";

const unpack = promisify(gunzip);
/** A part has a megabyte, or one row that is larger. */
const LARGEST_PART = 512 * 1024 * 1024;
const READ_AT_ONCE = 256 * 1024;

export interface ReadOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: BackupProgress) => void;
}

export interface CheckedBackup {
  readonly header: BackupHeader;
  readonly seal: Seal;
  readonly bytes: number;
}

/** What a backup's file holds, in its order. */
export interface BackupFiles {
  readonly header: BackupHeader;
  /** The files up to the seal. Reading all of them verifies them. */
  readonly files: AsyncGenerator<ArchiveEntry>;
}

/**
 * Opens a backup.
 * @throws BackupError for any other file, or one of a newer version
 */
export async function openBackup(
  file: string,
  { signal, onProgress, doing }: ReadOptions & { doing: string },
): Promise<BackupFiles> {
  const total = await readSize(file);
  let done = 0;
  async function* chunks(): AsyncGenerator<Buffer> {
    for await (const chunk of createReadStream(file, { highWaterMark: READ_AT_ONCE })) {
      signal?.throwIfAborted();
      done += chunk.length;
      onProgress?.({ doing, done, total });
      yield chunk;
    }
  }
  const files = readArchive(chunks());
  const first = await files.next();
  if (first.done) throw new BackupError("it is empty");
  return { header: readHeader(first.value.content), files };
}

/**
 * Reads all of a backup, without a database, and checks each byte and each number of rows.
 * @throws BackupError for any other file, or a changed one
 */
export async function checkBackup(file: string, options: ReadOptions = {}): Promise<CheckedBackup> {
  const { header, files } = await openBackup(file, { ...options, doing: "checking" });
  const rows: Record<string, number> = {};
  let pictureFiles = 0;
  let seal: Seal | undefined;
  for await (const { name, content } of files) {
    const table = readTableName(name);
    if (table !== undefined) rows[table] = (rows[table] ?? 0) + countLines(await unpackPart(name, content));
    if (name.startsWith(PICTURES)) pictureFiles += 1;
    if (name === SEAL) seal = parseJson(content, sealSchema, SEAL);
  }
  if (!seal) throw new BackupError(`it is not whole: it ends without ${SEAL}`);
  assertCounted(seal, { rows, pictureFiles });
  return { header, seal, bytes: await readSize(file) };
}

/** The table that a file has rows of. */
export function readTableName(name: string): string | undefined {
  return name.startsWith(DATA) ? name.split("/")[1] : undefined;
}

/** @throws BackupError if other numbers were read than were written */
export function assertCounted(seal: Seal, { rows, pictureFiles }: Pick<Seal, "rows" | "pictureFiles">): void {
  for (const [table, count] of Object.entries(seal.rows)) {
    if ((rows[table] ?? 0) !== count)
      throw new BackupError(`it has ${rows[table] ?? 0} rows of ${table}, and ${count} were written`);
  }
  if (pictureFiles !== seal.pictureFiles)
    throw new BackupError(`it has ${pictureFiles} files of pictures, and ${seal.pictureFiles} were written`);
}

async function unpackPart(name: string, content: Buffer): Promise<Buffer> {
  try {
    return await unpack(content, { maxOutputLength: LARGEST_PART });
  } catch {
    throw new BackupError(`it is damaged: ${name} is not what was written`);
  }
}

function readHeader(content: Buffer): BackupHeader {
  const version = /"version": (\d+)/.exec(content.toString())?.[1];
  if (Number(version) > FORMAT_VERSION)
    throw new BackupError("it was written by a newer version of Almanac; install that one");
  return parseJson(content, headerSchema, HEADER);
}

async function readSize(file: string): Promise<number> {
  const handle = await open(file);
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new BackupError("it is not a file");
    return found.size;
  } finally {
    await handle.close();
  }
}
