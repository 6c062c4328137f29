import { createHash } from "node:crypto";
import { z } from "zod";
import { BLOCK, computePadding, readTarHeader, TAR_END } from "./archive-writer.ts";
import { BackupError } from "./backup-error.ts";
import { CHECKSUMS, digestOfSeal, HEADER, SEAL, type Seal, sealSchema } from "./format.ts";

/** A file of a backup, in memory. */
export interface ArchiveEntry {
  readonly name: string;
  readonly content: Buffer;
}

/** More than any file of a backup has: parts of rows are cut at 1 MB. */
const LARGEST = 256 * 1024 * 1024;

/**
 * Reads a backup from its first byte to its last, and yields its files in turn, without the lists of checksums; the
 * last is the seal. Reading to the end verifies each byte.
 * @throws BackupError where the bytes end too early or are not those that were written
 */
export async function* readArchive(chunks: AsyncIterable<Buffer>): AsyncGenerator<ArchiveEntry> {
  const bytes = new Bytes(chunks);
  let sums = "";
  for (let files = 0; ; files++) {
    const sealed = { bytes: bytes.read, sha256: bytes.digest(), files };
    const { name, content } = await readEntry(bytes, files === 0);
    if (name === SEAL) {
      await readEnd(bytes);
      checkSeal(content, sealed);
      yield { name, content };
      return;
    }
    if (name.startsWith(CHECKSUMS)) {
      if (content.toString() !== sums) throw createDamageError(findDamaged(content.toString(), sums));
      sums = "";
      continue;
    }
    sums += `${createHash("sha256").update(content).digest("hex")}  ${name}\n`;
    yield { name, content };
  }
}

async function readEntry(bytes: Bytes, isFirst: boolean): Promise<ArchiveEntry> {
  const at = bytes.read;
  const block = await bytes.take(BLOCK, "a header");
  const entry = readTarHeader(block);
  if (isFirst && entry?.name !== HEADER) throw new BackupError("it is not a backup of Almanac");
  if (block.equals(TAR_END.subarray(0, BLOCK))) {
    throw new BackupError(`it is not whole: it ends without ${SEAL}`);
  }
  if (!entry || entry.size > LARGEST)
    throw new BackupError(`it is damaged: the header at byte ${at} is not what was written`);
  const content = await bytes.take(entry.size, entry.name);
  const padding = await bytes.take(computePadding(entry.size), entry.name);
  if (padding.some((byte) => byte !== 0)) throw createDamageError(entry.name);
  return { name: entry.name, content };
}

async function readEnd(bytes: Bytes): Promise<void> {
  const end = await bytes.take(TAR_END.length, "its end");
  if (!end.equals(TAR_END) || !(await bytes.isOver())) {
    throw new BackupError(`it is damaged: there is something after ${SEAL}`);
  }
}

function checkSeal(
  content: Buffer,
  { bytes, sha256, files }: Pick<Seal, "bytes" | "sha256" | "files">,
): void {
  const seal = parseJson(content, sealSchema, SEAL);
  const written: Partial<Seal> = JSON.parse(content.toString());
  const isAsWritten = `${JSON.stringify(written, null, 2)}\n` === content.toString();
  if (!isAsWritten || digestOfSeal(written) !== seal.digest) throw createDamageError(SEAL);
  if (seal.bytes !== bytes || seal.sha256 !== sha256 || seal.files !== files)
    throw new BackupError(`it was changed: ${SEAL} is of other content`);
}

/** Parses a file of a backup. @throws BackupError if it is not what it should be */
export function parseJson<Schema extends z.ZodType>(
  content: Buffer,
  schema: Schema,
  name: string,
): z.output<Schema> {
  try {
    return schema.parse(JSON.parse(content.toString()));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) throw createDamageError(name);
    throw error;
  }
}

/** The first file whose line differs; else the list itself. */
function findDamaged(list: string, sums: string): string {
  const listed = new Set(list.split("\n"));
  const line = sums.split("\n").find((sum) => !listed.has(sum));
  return line === undefined || line === "" ? "a list of checksums" : line.slice(66);
}

function createDamageError(name: string): BackupError {
  return new BackupError(`it is damaged: ${name} is not what was written`);
}

/** Bytes of a stream, by their number. */
class Bytes {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #hash = createHash("sha256");
  #rest: Buffer = Buffer.alloc(0);
  read = 0;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  digest(): string {
    return this.#hash.copy().digest("hex");
  }

  /** @throws BackupError if there are fewer left */
  async take(count: number, of: string): Promise<Buffer> {
    const pieces = [this.#rest];
    let there = this.#rest.length;
    while (there < count) {
      const next = await this.#chunks.next();
      if (next.done) {
        const place = this.read + there;
        if (place === 0) throw new BackupError("it is empty");
        if (place < BLOCK) throw new BackupError("it is not a backup of Almanac");
        throw new BackupError(`it is not whole: it ends in ${of}, after ${place} bytes`);
      }
      pieces.push(next.value);
      there += next.value.length;
    }
    const all = pieces.length === 1 ? this.#rest : Buffer.concat(pieces);
    const taken = all.subarray(0, count);
    this.#rest = all.subarray(count);
    this.#hash.update(taken);
    this.read += count;
    return taken;
  }

  async isOver(): Promise<boolean> {
    if (this.#rest.length > 0) return false;
    const next = await this.#chunks.next();
    return next.done === true;
  }
}
