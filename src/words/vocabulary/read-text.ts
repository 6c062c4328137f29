import { readFileSync, statSync } from "node:fs";
import { ConfigError } from "../../settings/sources.ts";

/** One of 10,000 values has 1 MB. */
export const MOST_MEGABYTES = 5;

/**
 * The text of a vocabulary's file.
 * @throws ConfigError if it cannot be read, or is no text
 */
export function readVocabularyText(file: string): string {
  const bytes = readBytes(file);
  if (
    bytes.subarray(0, 2).equals(Buffer.from([0xff, 0xfe])) ||
    bytes.subarray(0, 2).equals(Buffer.from([0xfe, 0xff]))
  )
    throw new ConfigError(`${file}, line 1: is UTF-16: save it as UTF-8`);
  const broken = brokenLine(bytes);
  if (broken !== undefined)
    throw new ConfigError(`${file}, line ${broken}: is not text in UTF-8: save it as UTF-8`);
  return bytes.toString("utf8");
}

function readBytes(file: string): Buffer {
  try {
    const found = statSync(file);
    if (found.isDirectory()) throw new ConfigError(`${file} is a folder: name the file in it`);
    const megabytes = Math.ceil(found.size / 1024 / 1024);
    if (megabytes > MOST_MEGABYTES)
      throw new ConfigError(`${file} has ${megabytes} MB: a vocabulary may have ${MOST_MEGABYTES}`);
    return readFileSync(file);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      code === "ENOENT" ? `${file}: there is no such file` : `${file} cannot be read (${code})`,
    );
  }
}

/** The first line with invalid UTF-8 or a NUL, if any. */
function brokenLine(bytes: Buffer): number | undefined {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let [start, line] = [0, 1];
  while (start <= bytes.length) {
    const end = bytes.indexOf(10, start);
    const part = bytes.subarray(start, end === -1 ? bytes.length : end);
    try {
      if (decoder.decode(part).includes("\0")) return line;
    } catch {
      return line;
    }
    if (end === -1) return undefined;
    [start, line] = [end + 1, line + 1];
  }
  return undefined;
}
