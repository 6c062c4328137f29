import { BrokenFileError } from "./unreadable.ts";

const UTF_16 = "the file is UTF-16; save it as UTF-8";

/**
 * Decodes UTF-8, without its byte order mark.
 * @throws BrokenFileError for any other encoding, instead of importing wrong letters
 */
export async function* decodeText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let start = 0;
  for await (const chunk of chunks) {
    if (start === 0) refuseUtf16(chunk);
    yield decode(() => decoder.decode(chunk, { stream: true }), start, chunk.length);
    start += chunk.length;
  }
  const rest = decode(() => decoder.decode(), start, 0);
  if (rest !== "") yield rest;
}

function decode(run: () => string, start: number, length: number): string {
  try {
    return run();
  } catch {
    const where = length > 0 ? `between bytes ${start} and ${start + length}` : "in its last letter";
    throw new BrokenFileError(`the file is not UTF-8 (wrong ${where}); save it as UTF-8`);
  }
}

/** Tells UTF-16 by its byte order mark, or by the zero byte that ASCII letters have there. */
function refuseUtf16(chunk: Uint8Array): void {
  const [first, second] = chunk;
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (hasMark || first === 0 || second === 0) throw new BrokenFileError(UTF_16);
}
