import { BackupError } from "./backup-error.ts";

/**
 * The plainest form of a tar archive: regular files with short names, as POSIX.1-1988 (ustar) has them, so that every tar
 * can read it. A header holds nothing but what `tarHeader` writes, byte for byte: what is other was damaged or made by
 * somebody else. A library would read links, paths and extensions as well, which have no place in a backup.
 * https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html#tag_20_94_13_06
 */
export interface TarEntry {
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
export function tarHeader({ name, size, mtime }: TarEntry): Buffer {
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
