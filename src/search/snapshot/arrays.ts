import { crc32 } from "node:zlib";
import { z } from "zod";
import type { IndexData } from "../index/build.ts";
import { IndexBuilder } from "../index/build.ts";

/** A typed array of an index, with the keys that lead to it: `words.list.letters`. */
export interface NamedArray {
  readonly name: string;
  readonly array: TypedArray;
}

export type TypedArray = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

/** The typed arrays of an index, always in the same order. */
export function arraysOf(data: IndexData): NamedArray[] {
  const found: NamedArray[] = [];
  mapArrays(data, "", (name, array) => {
    found.push({ name, array });
    return array;
  });
  return found;
}

/** The typed arrays that every index has, all of them empty or nearly so: what a file is compared with. */
export function expectedArrays(): NamedArray[] {
  return arraysOf(new IndexBuilder().finish());
}

/** An index of so many records with these arrays, which are those of `arraysOf` in the same order. */
export function indexOf(size: number, arrays: readonly TypedArray[]): IndexData {
  const left = [...arrays];
  const filled = mapArrays(new IndexBuilder().finish(), "", (_name, array) => left.shift() ?? array);
  return { ...filled, size };
}

/** A copy of an object whose typed arrays are replaced, however deep they are. */
function mapArrays<Data extends object>(
  data: Data,
  prefix: string,
  replace: (name: string, array: TypedArray) => TypedArray,
): Data {
  const entries = Object.entries(data).map(([key, value]) => {
    if (isTypedArray(value)) return [key, replace(prefix + key, value)];
    if (typeof value !== "object" || value === null) return [key, value];
    return [key, mapArrays(value, `${prefix}${key}.`, replace)];
  });
  return Object.fromEntries(entries) as Data;
}

function isTypedArray(value: unknown): value is TypedArray {
  return value instanceof Uint8Array || value instanceof Uint16Array || value instanceof Uint32Array;
}

/**
 * A file begins with a block of fixed size: a mark of the type, the number of the format and a checksum of the rest
 * of the block. JSON follows, filled up with spaces. The arrays follow one after the other.
 */
export const HEADER_BYTES = 8_192;

const MAGIC = Buffer.from("almanac\n", "latin1");
/** Raise it when the layout of the file changes; `code` covers the content of the arrays. */
const FORMAT = 1;
const FORMAT_AT = MAGIC.length;
const CHECKSUM_AT = FORMAT_AT + 4;
const JSON_AT = CHECKSUM_AT + 4;

const header = z.object({
  kind: z.string(),
  /** Which code built the index: see `codeOfIndexes`. */
  code: z.string(),
  origin: z.object({ version: z.number(), stamp: z.string(), table: z.number() }),
  /** How many records the index has. */
  size: z.int().nonnegative(),
  /** Name, length in bytes and CRC-32 of each array, in the order of the file. */
  arrays: z.array(z.tuple([z.string(), z.int().nonnegative(), z.int().nonnegative()])),
});

export type Header = z.infer<typeof header>;

/** The block of a header. */
export function encodeHeader(content: Header): Buffer {
  const json = JSON.stringify(content);
  const block = Buffer.alloc(HEADER_BYTES, " ");
  if (Buffer.byteLength(json) > HEADER_BYTES - JSON_AT)
    throw new Error("the header of a search index is too long");
  MAGIC.copy(block);
  block.writeUInt32LE(FORMAT, FORMAT_AT);
  block.write(json, JSON_AT);
  block.writeUInt32LE(crc32(block.subarray(JSON_AT)), CHECKSUM_AT);
  return block;
}

/** The header in a block; undefined if it is cut short, damaged or of another format. */
export function decodeHeader(block: Buffer): Header | undefined {
  if (block.length < HEADER_BYTES || !block.subarray(0, FORMAT_AT).equals(MAGIC)) return undefined;
  if (block.readUInt32LE(FORMAT_AT) !== FORMAT) return undefined;
  const content = block.subarray(JSON_AT, HEADER_BYTES);
  if (block.readUInt32LE(CHECKSUM_AT) !== crc32(content)) return undefined;
  const parsed = header.safeParse(JSON.parse(content.toString()));
  return parsed.success ? parsed.data : undefined;
}

/** How long the whole file must be. */
export function fileBytes({ arrays }: Header): number {
  return arrays.reduce((sum, [, bytes]) => sum + bytes, HEADER_BYTES);
}
