import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Writable } from "node:stream";
import { syncFolder } from "../../settings/sync-folder.ts";
import { BackupError } from "./backup-error.ts";
import { CHECKSUMS, digestOfSeal, SEAL, type Seal } from "./format.ts";

/** Files between two files of checksums. */
const CHECKED_AT_ONCE = 500;

/** The ending of a file that is being written. */
export const DRAFT = /\.[0-9a-f]{8}\.draft$/;

/** Where the bytes of a backup go. */
interface ArchiveTarget {
  write(piece: Buffer): Promise<unknown>;
  /** Called once it is whole. */
  finish(): Promise<void>;
  discard(): Promise<void>;
}

/**
 * A file that has its name only once the backup is whole and on the disk; until then it is beside it, as a draft.
 * @throws BackupError if there is such a file and it may not be replaced
 */
export async function openFile(file: string, { replaces }: { replaces: boolean }): Promise<ArchiveTarget> {
  if (!replaces) refuseExisting(file);
  const draft = `${file}.${randomBytes(4).toString("hex")}.draft`;
  const handle = await open(draft, "wx", 0o600);
  return {
    write: (piece) => handle.writeFile(piece),
    async finish() {
      await handle.sync();
      await handle.close();
      if (!replaces) refuseExisting(file);
      await rename(draft, file);
      await syncFolder(path.dirname(file));
    },
    async discard() {
      await handle.close().catch(() => undefined);
      await rm(draft, { force: true });
    },
  };
}

/** A stream, such as a response. Its owner ends one that is not whole: without the seal it cannot pass for a backup. */
export function intoStream(stream: Writable): ArchiveTarget {
  return {
    async write(piece) {
      if (stream.destroyed) throw new BackupError("the download was broken off");
      if (!stream.write(piece)) await Promise.race([once(stream, "drain"), once(stream, "close")]);
    },
    async finish() {
      stream.end();
    },
    async discard() {},
  };
}

/** Writes a backup file by file. */
export class ArchiveWriter {
  readonly #target: ArchiveTarget;
  readonly #mtime: number;
  readonly #hash = createHash("sha256");
  #bytes = 0;
  #files = 0;
  #sums: string[] = [];
  #lists = 0;

  constructor(target: ArchiveTarget, createdAt: Date) {
    this.#target = target;
    this.#mtime = Math.floor(createdAt.getTime() / 1000);
  }

  /** Bytes so far. */
  get bytes(): number {
    return this.#bytes;
  }

  async add(name: string, content: Buffer): Promise<void> {
    await this.#write(name, content);
    this.#sums.push(`${createHash("sha256").update(content).digest("hex")}  ${name}\n`);
    if (this.#sums.length >= CHECKED_AT_ONCE) await this.#addChecksums();
  }

  async complete(counted: Pick<Seal, "rows" | "pictureFiles">): Promise<{ bytes: number; sha256: string }> {
    if (this.#sums.length > 0) await this.#addChecksums();
    const sha256 = this.#hash.copy().digest("hex");
    const seal = { bytes: this.#bytes, sha256, files: this.#files, ...counted };
    const digested: Seal = { ...seal, digest: digestOfSeal(seal) };
    await this.#write(SEAL, Buffer.from(`${JSON.stringify(digested, null, 2)}\n`));
    await this.#append(TAR_END);
    await this.#target.finish();
    return { bytes: this.#bytes, sha256: this.#hash.digest("hex") };
  }

  async #addChecksums(): Promise<void> {
    const list = Buffer.from(this.#sums.join(""));
    this.#sums = [];
    this.#lists += 1;
    await this.#write(`${CHECKSUMS}${String(this.#lists).padStart(6, "0")}.sha256`, list);
  }

  async #write(name: string, content: Buffer): Promise<void> {
    const header = tarHeader({ name, size: content.length, mtime: this.#mtime });
    await this.#append(header, content, Buffer.alloc(computePadding(content.length)));
    this.#files += 1;
  }

  async #append(...pieces: Buffer[]): Promise<void> {
    for (const piece of pieces) {
      if (piece.length > 0) await this.#target.write(piece);
      this.#hash.update(piece);
      this.#bytes += piece.length;
    }
  }
}

function refuseExisting(file: string): void {
  if (existsSync(file)) throw new BackupError(`${file} is there already; --force replaces it`);
}

/**
 * The plainest form of a tar archive: regular files with short names, as POSIX.1-1988 (ustar) has them, so that every tar
 * can read it. A header holds nothing but what `tarHeader` writes, byte for byte: what is other was damaged or made by
 * somebody else. A library would read links, paths and extensions as well, which have no place in a backup.
 * https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html#tag_20_94_13_06
 */
interface TarEntry {
  readonly name: string;
  readonly size: number;
  /** Seconds since 1970. */
  readonly mtime: number;
}

/** Headers, contents and the end are filled up to this. */
export const BLOCK = 512;
/** After the last file. */
export const TAR_END = Buffer.alloc(2 * BLOCK);

const NAME_BYTES = 100;
/** The fields start at these offsets. */
const AT = { mode: 100, uid: 108, gid: 116, size: 124, mtime: 136, sum: 148, type: 156, magic: 257 } as const;
const NAME = /^[\w][\w.-]*(\/[\w][\w.-]*)*$/;

/** The header of a file that only its owner may read. */
function tarHeader({ name, size, mtime }: TarEntry): Buffer {
  if (!NAME.test(name) || Buffer.byteLength(name) > NAME_BYTES)
    throw new BackupError(`"${name}" is no name for a file of a backup`);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, "latin1");
  writeOctal(header, AT.mode, 0o600, 7);
  writeOctal(header, AT.uid, 0, 7);
  writeOctal(header, AT.gid, 0, 7);
  writeOctal(header, AT.size, size, 11);
  writeOctal(header, AT.mtime, mtime, 11);
  header.write("0", AT.type, "latin1");
  header.write("ustar\0" + "00", AT.magic, "latin1");
  header.write("        ", AT.sum, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, AT.sum, "latin1");
  return header;
}

/** Parses a header; undefined if `tarHeader` did not write it. */
export function readTarHeader(header: Buffer): TarEntry | undefined {
  const name = header.toString("latin1", 0, NAME_BYTES).replace(/\0+$/, "");
  const entry = { name, size: readOctal(header, AT.size), mtime: readOctal(header, AT.mtime) };
  const isReadable = NAME.test(name) && entry.size >= 0 && entry.mtime >= 0;
  return isReadable && tarHeader(entry).equals(header) ? entry : undefined;
}

/** Bytes that follow a content of such a size. */
export function computePadding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

function writeOctal(header: Buffer, at: number, value: number, digits: number): void {
  header.write(`${value.toString(8).padStart(digits, "0")}\0`, at, "latin1");
}

function readOctal(header: Buffer, at: number): number {
  const digits = header.toString("latin1", at, at + 11);
  return /^[0-7]{11}$/.test(digits) ? Number.parseInt(digits, 8) : -1;
}
