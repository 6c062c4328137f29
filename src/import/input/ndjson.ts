import { BrokenFileError, cutOff, MAX_RECORD_LENGTH, tooLong, Unreadable } from "./unreadable.ts";

/**
 * Reads one record a line, skipping blank lines. A line that is not JSON is an unreadable record, unless it is the first
 * (then the format is another one) or ends the file without a line end (then the file is cut off).
 */
export async function* readNdjson(texts: AsyncIterable<string>): AsyncGenerator<unknown> {
  let record = 0;
  let rest = "";
  for await (const text of texts) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.trim() !== "") yield parseLine(line, ++record);
    }
    if (rest.length > MAX_RECORD_LENGTH) throw tooLong(record + 1);
  }
  if (rest.trim() === "") return;
  const last = parseLine(rest, ++record);
  if (last instanceof Unreadable) throw cutOff(record);
  yield last;
}

function parseLine(line: string, record: number): unknown {
  if (line.length > MAX_RECORD_LENGTH) throw tooLong(record);
  try {
    return JSON.parse(line);
  } catch {
    if (record > 1) return new Unreadable("is not valid JSON");
    throw new BrokenFileError(
      "record 1 is not JSON on one line; records of several lines need [ and ] around them all",
    );
  }
}
