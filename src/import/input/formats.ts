import { readCsv } from "./csv.ts";
import { decodeText } from "./decode.ts";
import { readJsonArray } from "./json-array.ts";
import { readNdjson } from "./ndjson.ts";
import { prepend } from "./prepend.ts";
import { MAX_RECORD_LENGTH, tooLong } from "./unreadable.ts";

export const FORMATS = ["json", "ndjson", "csv"] as const;
export type Format = (typeof FORMATS)[number];

/**
 * Reads the records of an input one by one: of a JSON array, of lines of JSON, or of a CSV file whose first row names
 * the fields. Without a format, the first character tells: `[`, `{` or anything else.
 * @throws BrokenFileError where the input does not go on as its format demands, or a record has over 1,000,000
 *   characters
 */
export async function* readRecords(
  bytes: AsyncIterable<Uint8Array>,
  { format, delimiter }: { format?: Format; delimiter?: string } = {},
): AsyncGenerator<unknown> {
  const { head, all } = await peekText(decodeText(bytes));
  const first = head.trimStart().charAt(0);
  const found = format ?? FORMAT_OF_FIRST[first] ?? "csv";
  if (first === "") return;
  if (found === "json") yield* readJsonArray(all);
  else if (found === "ndjson") yield* readNdjson(all);
  else yield* readCsv(all, head, delimiter);
}

const FORMAT_OF_FIRST: Record<string, Format | undefined> = { "[": "json", "{": "ndjson" };

/** The text up to the end of its first line that is not blank, without consuming it. */
async function peekText(texts: AsyncGenerator<string>) {
  let head = "";
  while (!head.trimStart().includes("\n")) {
    const { done, value } = await texts.next();
    if (done) break;
    head += value;
    if (head.length <= MAX_RECORD_LENGTH) continue;
    if (head.trim() === "") throw tooLong(1);
    break;
  }
  return { head, all: prepend([head], texts) };
}
