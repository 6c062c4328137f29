import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import type { IndexData } from "../index/build.ts";
import {
  decodeHeader,
  expectedArrays,
  fileBytes,
  HEADER_BYTES,
  type Header,
  indexOf,
  type NamedArray,
  type TypedArray,
} from "./arrays.ts";

/** As in write-file.ts. */
const SLICE = 1_048_576;

/** Why a file is of no use. */
export class UselessFile extends Error {
  override name = "UselessFile";
}

/**
 * The index in a file if `isWanted` by its header, else undefined; undefined too if there is no such file. Requests are
 * answered meanwhile.
 * @throws UselessFile if it is damaged; what the file system says
 */
export async function readIndexFile(
  file: string,
  isWanted: (header: Header) => Promise<boolean>,
  signal: AbortSignal,
): Promise<{ header: Header; data: IndexData } | undefined> {
  return withFile(file, async (handle) => {
    const header = await headerOf(handle);
    if (!(await isWanted(header))) return undefined;
    const { size } = await handle.stat();
    if (size !== fileBytes(header)) throw new UselessFile("the file is cut short, or too long");
    return { header, data: indexOf(header.size, await readArrays(handle, header, signal)) };
  });
}

async function withFile<Result>(
  file: string,
  read: (handle: FileHandle) => Promise<Result>,
): Promise<Result | undefined> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  // Another process may replace the file meanwhile; the handle keeps to the one that was opened.
  return handle && (await read(handle).finally(() => handle.close()));
}

async function headerOf(handle: FileHandle): Promise<Header> {
  const block = Buffer.alloc(HEADER_BYTES);
  const { bytesRead } = await handle.read(block, 0, HEADER_BYTES, 0);
  const header = decodeHeader(block.subarray(0, bytesRead));
  if (!header) throw new UselessFile("the header is damaged, or of another format");
  return header;
}

async function readArrays(handle: FileHandle, header: Header, signal: AbortSignal): Promise<TypedArray[]> {
  const expected = expectedArrays();
  if (expected.length !== header.arrays.length) throw new UselessFile("the file holds other arrays");
  const arrays: TypedArray[] = [];
  let at = HEADER_BYTES;
  for (const [index, [name, bytes, checksum]] of header.arrays.entries()) {
    const buffer = await readBuffer(handle, { at, bytes, checksum, name }, signal);
    arrays.push(viewOf(buffer, name, expected[index]));
    at += bytes;
  }
  return arrays;
}

interface Place {
  readonly name: string;
  readonly at: number;
  readonly bytes: number;
  readonly checksum: number;
}

async function readBuffer(
  handle: FileHandle,
  { name, at: start, bytes, checksum }: Place,
  signal: AbortSignal,
): Promise<ArrayBuffer> {
  const buffer = new ArrayBuffer(bytes);
  let sum = 0;
  for (let at = 0; at < bytes; ) {
    signal.throwIfAborted();
    const slice = Buffer.from(buffer, at, Math.min(SLICE, bytes - at));
    const { bytesRead } = await handle.read(slice, 0, slice.length, start + at);
    if (bytesRead === 0) throw new UselessFile("the file is cut short");
    sum = crc32(slice.subarray(0, bytesRead), sum);
    at += bytesRead;
  }
  if (sum !== checksum) throw new UselessFile(`the file is damaged in ${name}`);
  return buffer;
}

/** A view as the index at that place has one. */
function viewOf(buffer: ArrayBuffer, name: string, expected: NamedArray | undefined): TypedArray {
  if (expected?.name !== name) throw new UselessFile("the file holds other arrays");
  const { array } = expected;
  if (buffer.byteLength % array.BYTES_PER_ELEMENT !== 0) throw new UselessFile(`a number in ${name} is cut`);
  if (array instanceof Uint8Array) return new Uint8Array(buffer);
  return array instanceof Uint16Array ? new Uint16Array(buffer) : new Uint32Array(buffer);
}
