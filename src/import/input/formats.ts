import { readCsv } from "./csv.ts";
import { decodeText } from "./decode.ts";
import { readJsonArray } from "./json-array.ts";
import { readNdjson } from "./ndjson.ts";
import { prepend } from "./prepend.ts";
import { BrokenFileError, MAX_RECORD_LENGTH, tooLong } from "./unreadable.ts";
import { adviseLists, findList, listsIn } from "./wrapped.ts";

export const FORMATS = ["json", "ndjson", "csv"] as const;
export type Format = (typeof FORMATS)[number];

export interface ReadOptions {
  readonly format?: Format;
  readonly delimiter?: string;
  /** Where the list of records stands in a JSON object: `data.items`. */
  readonly list?: string;
}

/**
 * Reads the records of an input one by one: of a JSON array, of lines of JSON, or of a CSV file whose first row names
 * the fields. Without a format, the first character tells: `[`, `{` or anything else.
 * @throws BrokenFileError where there is nothing, where the input does not go on as its format demands, or a record has
 *   over 1,000,000 characters
 */
export async function* readRecords(
  bytes: AsyncIterable<Uint8Array>,
  { format, delimiter, list }: ReadOptions = {},
): AsyncGenerator<unknown> {
  const { head, all } = await peekText(decodeText(bytes));
  const first = head.trimStart().charAt(0);
  if (first === "")
    throw new BrokenFileError(`the file is empty; a list without records is written ${EMPTY_LIST}`);
  if (list !== undefined) return yield* readJsonArray(findList(all, list), { inObject: true });
  if (format === undefined && first === "<")
    throw new BrokenFileError(
      "the file is HTML or XML: a page, perhaps one that tells of an error, and no records",
    );
  const found = format ?? FORMAT_OF_FIRST[first] ?? "csv";
  if (first === "{" && (found === "json" || !isJsonLine(head))) await refuseObject(all, found, head.length);
  if (found === "json") yield* readJsonArray(all);
  else if (found === "ndjson") yield* readNdjson(all);
  else yield* requireRows(readCsv(all, head, delimiter));
}

const FORMAT_OF_FIRST: Record<string, Format | undefined> = { "[": "json", "{": "ndjson" };
const EMPTY_LIST = "[]";

/** By its first line that is not blank, so far as that was read. */
function isJsonLine(head: string): boolean {
  try {
    JSON.parse(head.trimStart().split("\n", 1)[0] ?? "");
    return true;
  } catch {
    return false;
  }
}

/** An object over several lines, or a very long one, is no record: mostly the records are a list in it. */
async function refuseObject(texts: AsyncGenerator<string>, format: Format, length: number): Promise<never> {
  const advice = adviseLists(await listsIn(texts));
  if (advice !== undefined) throw new BrokenFileError(advice);
  if (length > MAX_RECORD_LENGTH) throw tooLong(1);
  throw new BrokenFileError(
    format === "json"
      ? "this is no JSON array"
      : "record 1 is not JSON on one line; records of several lines need [ and ] around them all",
  );
}

/** A single line of anything reads as a first row of CSV: "Not Found" is no empty list. */
async function* requireRows(rows: AsyncGenerator<unknown>): AsyncGenerator<unknown> {
  let count = 0;
  for await (const row of rows) {
    count += 1;
    yield row;
  }
  if (count > 0) return;
  throw new BrokenFileError(
    `the file has one row and no records below it; a list without records is written ${EMPTY_LIST}`,
  );
}

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
