import { randomBytes } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { crc32 } from "node:zlib";
import type { IndexData } from "../index/build.ts";
import { arraysOf, encodeHeader, HEADER_BYTES, type Header, type TypedArray } from "./arrays.ts";

/** Bytes between two turns of the event loop: the checksum of so many takes a fraction of a millisecond. */
const SLICE = 1_048_576;

/** The header's facts about the arrays. */
export type About = Omit<Header, "size" | "arrays">;

/** The name of a draft, which no two processes share. */
function draftOf(file: string): string {
  return `${file}.${process.pid}-${randomBytes(6).toString("hex")}.draft`;
}

/**
 * Writes an index into a file, which appears whole or not at all. Requests are answered meanwhile.
 * @throws what the file system says; the signal's reason
 */
export async function writeIndexFile(
  file: string,
  { about, data }: { about: About; data: IndexData },
  signal: AbortSignal,
): Promise<void> {
  const draft = draftOf(file);
  try {
    await writeDraft(draft, { about, data }, signal);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function writeDraft(
  draft: string,
  { about, data }: { about: About; data: IndexData },
  signal: AbortSignal,
): Promise<void> {
  const handle = await open(draft, "wx", 0o600);
  try {
    const arrays: Header["arrays"] = [];
    let at = HEADER_BYTES;
    for (const { name, array } of arraysOf(data)) {
      arrays.push([name, array.byteLength, await writeArray(handle, array, at, signal)]);
      at += array.byteLength;
    }
    await writeAll(handle, encodeHeader({ ...about, size: data.size, arrays }), 0);
    // Else a power cut may leave the name of the new file with half of its content.
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Resolves to the checksum. */
async function writeArray(
  handle: FileHandle,
  array: TypedArray,
  start: number,
  signal: AbortSignal,
): Promise<number> {
  let checksum = 0;
  for (let at = 0; at < array.byteLength; at += SLICE) {
    signal.throwIfAborted();
    const length = Math.min(SLICE, array.byteLength - at);
    const slice = Buffer.from(array.buffer, array.byteOffset + at, length);
    checksum = crc32(slice, checksum);
    await writeAll(handle, slice, start + at);
  }
  return checksum;
}

/** A full disk may take a part of what it is given before it says so. */
async function writeAll(handle: FileHandle, bytes: Buffer, start: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, start + at);
    at += bytesWritten;
  }
}
