import { constants, createReadStream } from "node:fs";
import { access, stat } from "node:fs/promises";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { UsageError } from "../../../settings/usage-error.ts";
import { type LazyText, lazyText } from "../../../words/i18n/lazy-text.ts";
import { BrokenFileError, prepend } from "./unreadable.ts";

/** Enough bytes to recognise every type of file below. */
const HEAD_BYTES = 512;

const SPREADSHEET = lazyText("refusals.save_csv");
const UNPACK = lazyText("refusals.unpack");
const archive = (format: string) => lazyText("refusals.archive", { format });
const compressed = (format: string) => lazyText("refusals.compressed", { format });
const unpackBy = (command: string) => lazyText("refusals.unpack_by", { command });

/** Files often imported by mistake, by their first bytes. Source: https://en.wikipedia.org/wiki/List_of_file_signatures */
const SIGNATURES: readonly { begins: string; at?: number; what: LazyText; instead: LazyText }[] = [
  { begins: "PK\x03\x04", what: archive("zip"), instead: UNPACK },
  { begins: "PK\x05\x06", what: lazyText("refusals.empty_zip"), instead: UNPACK },
  { begins: "\xd0\xcf\x11\xe0", what: lazyText("refusals.old_excel"), instead: SPREADSHEET },
  { begins: "BZh", what: compressed("bzip2"), instead: unpackBy("bzip2 -dc") },
  { begins: "\xfd7zXZ\x00", what: compressed("xz"), instead: unpackBy("xz -dc") },
  { begins: "\x28\xb5\x2f\xfd", what: compressed("zstd"), instead: unpackBy("zstd -dc") },
  { begins: "7z\xbc\xaf\x27\x1c", what: archive("7z"), instead: UNPACK },
  { begins: "Rar!\x1a\x07", what: archive("rar"), instead: UNPACK },
  { begins: "ustar", at: 257, what: archive("tar"), instead: unpackBy("tar -xOf") },
  {
    begins: "SQLite format 3\x00",
    what: lazyText("refusals.sqlite"),
    instead: lazyText("refusals.table_or_json"),
  },
  { begins: "%PDF-", what: lazyText("refusals.pdf"), instead: lazyText("refusals.table") },
  { begins: "PAR1", what: lazyText("refusals.parquet"), instead: lazyText("refusals.convert") },
];

/** Files of Office are zip archives; the name of their first file identifies them. */
const INSIDE_ZIP = /^.{30}(\[Content_Types\]\.xml|_rels\/|docProps\/|xl\/|mimetypeapplication\/vnd\.oasis)/s;

/** A file, or standard input. */
export interface InputSource {
  /** Size of the file on disk; undefined if unknown. */
  readonly size: number | undefined;
  /** How many bytes of the file have been read. */
  bytesRead(): number;
  /** The unpacked bytes, until the signal. Can be read once. */
  bytes(signal?: AbortSignal): AsyncIterable<Buffer>;
}

/**
 * Opens a file, or standard input for "-", without reading it yet. Gzip is recognised by its first bytes.
 * @throws UsageError if the file does not exist or must not be read
 */
export async function openInput(file: string, stdin: NodeJS.ReadableStream): Promise<InputSource> {
  const size = file === "-" ? undefined : await sizeOf(file);
  let read = 0;
  async function* count(signal?: AbortSignal): AsyncGenerator<Buffer> {
    const stream = file === "-" ? stdin : createReadStream(file);
    for await (const chunk of untilAborted(stream, signal)) {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      read += bytes.length;
      yield bytes;
    }
  }
  return { size, bytesRead: () => read, bytes: (signal) => unpack(count(signal)) };
}

async function sizeOf(file: string): Promise<number | undefined> {
  const stats = await stat(file).catch(refuseFile(file));
  if (stats.isDirectory()) throw new UsageError(`cannot read ${file}: it is a directory`);
  await access(file, constants.R_OK).catch(refuseFile(file));
  return stats.isFile() ? stats.size : undefined;
}

function refuseFile(file: string) {
  return (error: NodeJS.ErrnoException): never => {
    throw new UsageError(`cannot read ${file} (${error.code})`);
  };
}

/** Standard input cannot be aborted by a signal, and may stay silent for ever. */
async function* untilAborted(
  stream: NodeJS.ReadableStream,
  signal?: AbortSignal,
): AsyncGenerator<Buffer | string> {
  const stop = () => (stream as Readable).destroy(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    signal?.throwIfAborted();
    yield* stream;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

async function* unpack(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const { head, all } = await peek(chunks, 2);
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    yield* onlyText(all);
    return;
  }
  const gunzip = createGunzip();
  pipeline(Readable.from(all), gunzip, () => undefined); // errors arrive through gunzip, which is read here
  try {
    yield* onlyText(chunksOf(gunzip));
  } catch (error) {
    throw explainGzip(error);
  }
}

async function* chunksOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* stream;
}

/** The same bytes, unless they are another archive or not text. */
async function* onlyText(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const { head, all } = await peek(chunks, HEAD_BYTES);
  refusePacked(head);
  yield* all;
}

/** The first bytes without consuming them; fewer only if the input is shorter. */
async function peek(chunks: AsyncGenerator<Buffer>, length: number) {
  let head = Buffer.alloc(0);
  while (head.length < length) {
    const { done, value } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  return { head, all: prepend(head.length > 0 ? [head] : [], chunks) };
}

/** https://www.zlib.net/manual.html#Constants */
function explainGzip(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "Z_BUF_ERROR") return new BrokenFileError("refusals.gzip_short");
  if (code === "Z_DATA_ERROR") return new BrokenFileError("refusals.gzip");
  return error;
}

/** Refuses files that are not text, saying what they are. `head`: the first HEAD_BYTES bytes, or all there are. */
function refusePacked(head: Uint8Array): void {
  const letters = Buffer.from(head).toString("latin1");
  const found = SIGNATURES.find(({ begins, at = 0 }) => letters.startsWith(begins, at));
  if (!found) return;
  if (found.begins.startsWith("PK") && INSIDE_ZIP.test(letters))
    throw new BrokenFileError("refusals.spreadsheet", { instead: SPREADSHEET });
  throw new BrokenFileError("refusals.packed", { what: found.what, instead: found.instead });
}
