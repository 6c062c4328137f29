import { crc32 } from "node:zlib";
import { z } from "zod";

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
  /** Which code built the index: see code.ts. */
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
