import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** Bytes of rows in one file, before they are packed. */
const PART_BYTES = 1024 * 1024;
const NEW_LINE = 10;

const pack = promisify(gzip);

/** Some rows as one file: whole lines, packed. */
export interface RowPart {
  readonly content: Buffer;
  readonly rows: number;
}

/**
 * Cuts what COPY sends into parts of whole rows; each row is a line, as line ends in values are escaped. One part is
 * packed while the next one is read.
 */
export async function* cutRows(chunks: AsyncIterable<Buffer>): AsyncGenerator<RowPart> {
  let pieces: Buffer[] = [];
  let waiting = 0;
  let packing: Promise<RowPart> | undefined;
  for await (const chunk of chunks) {
    pieces.push(chunk);
    waiting += chunk.length;
    const end = waiting < PART_BYTES ? -1 : chunk.lastIndexOf(NEW_LINE);
    if (end < 0) continue;
    const rest = chunk.subarray(end + 1);
    pieces[pieces.length - 1] = chunk.subarray(0, end + 1);
    const packed = packing;
    packing = packRows(pieces);
    // It is awaited after the next part was read, and may have failed by then.
    packing.catch(() => undefined);
    pieces = [Buffer.from(rest)];
    waiting = rest.length;
    if (packed) yield await packed;
  }
  if (packing) yield await packing;
  if (waiting > 0) yield await packRows(pieces);
}

async function packRows(pieces: Buffer[]): Promise<RowPart> {
  const rows = pieces.reduce((count, piece) => count + countLines(piece), 0);
  return { content: await pack(Buffer.concat(pieces)), rows };
}

/** How many lines end in some bytes. */
export function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEW_LINE); at >= 0; at = bytes.indexOf(NEW_LINE, at + 1)) count++;
  return count;
}
