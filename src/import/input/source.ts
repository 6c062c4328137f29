import { open } from "node:fs/promises";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { UsageError } from "../../commands/command.ts";
import { prepend } from "./prepend.ts";
import { BrokenFileError } from "./unreadable.ts";

/** The bytes of an input, unpacked where they were packed. */
export interface InputSource {
  readonly bytes: AsyncIterable<Buffer>;
  /** Size of the file as it lies on the disk; undefined where it is not known. */
  readonly size: number | undefined;
  /** How much of that has been read. */
  bytesRead(): number;
}

/**
 * Opens a file, or standard input for "-". Gzip is recognised by its first bytes, whatever the name.
 * @throws UsageError if there is no such file
 */
export async function openInput(
  file: string,
  stdin: NodeJS.ReadableStream,
  signal?: AbortSignal,
): Promise<InputSource> {
  const { stream, size } = file === "-" ? { stream: stdin, size: undefined } : await openFile(file, signal);
  let read = 0;
  async function* count(): AsyncGenerator<Buffer> {
    for await (const chunk of untilAborted(stream, signal)) {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      read += bytes.length;
      yield bytes;
    }
  }
  return { bytes: unpack(count()), size, bytesRead: () => read };
}

async function openFile(file: string, signal?: AbortSignal) {
  try {
    const handle = await open(file, "r");
    const stat = await handle.stat();
    if (!stat.isDirectory()) {
      return { stream: handle.createReadStream({ signal }), size: stat.isFile() ? stat.size : undefined };
    }
    await handle.close();
  } catch (error) {
    throw new UsageError(`cannot read ${file} (${(error as NodeJS.ErrnoException).code})`);
  }
  throw new UsageError(`cannot read ${file}: it is a directory`);
}

/** Standard input has no abort of its own, and may stay silent for ever. */
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
    yield* all;
    return;
  }
  const gunzip = createGunzip();
  pipeline(Readable.from(all), gunzip, () => undefined); // errors arrive through gunzip, which is read here
  try {
    yield* gunzip;
  } catch (error) {
    throw explainGzip(error);
  }
}

/** The first bytes without consuming them; fewer only where the input is shorter. */
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
  if (code === "Z_BUF_ERROR") return new BrokenFileError("the gzip data end too early; is the file cut off?");
  if (code === "Z_DATA_ERROR") return new BrokenFileError("the gzip data are damaged");
  return error;
}
