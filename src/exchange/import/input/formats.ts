import type { DecimalComma } from "../../../records/figures.ts";
import { readCsv } from "./csv.ts";
import { adviseLists, findList, listsIn, readJsonArray, readNdjson } from "./json.ts";
import { BrokenFileError, MAX_RECORD_LENGTH, prepend, tooLong } from "./unreadable.ts";

export const FORMATS = ["json", "ndjson", "csv"] as const;
export type Format = (typeof FORMATS)[number];

export interface ReadOptions {
  readonly format?: Format;
  readonly delimiter?: string;
  /** The path of the list of records in a JSON object: `data.items`. */
  readonly list?: string;
  /** Receives doubts about the file, once its records have been read. */
  readonly warn?: (warning: string) => void;
  /** Receives what a comma in numbers is, before the first record of a file where it may be a decimal comma. */
  readonly onComma?: (comma: DecimalComma) => void;
}

/**
 * Reads records one by one from a JSON array, lines of JSON, or a CSV file whose first row names the fields. Without
 * a format, the first character decides: `[`, `{` or anything else.
 * @throws BrokenFileError for an empty input, one that is not of its format, or a record of over 1,000,000 characters
 */
export async function* readRecords(
  bytes: AsyncIterable<Uint8Array>,
  { format, delimiter, list, warn, onComma }: ReadOptions = {},
): AsyncGenerator<unknown> {
  const { head, all } = await peekText(decodeText(bytes));
  const first = head.trimStart().charAt(0);
  if (first === "") throw new BrokenFileError("refusals.empty_file", { list: EMPTY_LIST });
  if (format === undefined && first === "<") throw new BrokenFileError("refusals.html");
  if (list !== undefined) return yield* readJsonArray(findList(all, list), { inObject: true });
  const found = format ?? FORMAT_OF_FIRST[first] ?? "csv";
  if (first === "{" && (found === "json" || !isJsonLine(head))) await refuseObject(all, found, head.length);
  if (found === "json") yield* readJsonArray(all);
  else if (found === "ndjson") yield* readNdjson(all);
  else yield* requireRows(readCsv(all, head, { delimiter, warn, onComma }));
}

const FORMAT_OF_FIRST: Record<string, Format | undefined> = { "[": "json", "{": "ndjson" };
const EMPTY_LIST = "[]";

/** Whether the first line that is not blank is JSON, as far as it was read. */
function isJsonLine(head: string): boolean {
  try {
    JSON.parse(head.trimStart().split("\n", 1)[0] ?? "");
    return true;
  } catch {
    return false;
  }
}

/** Refuses an object over several lines, or a very long one, naming the lists in it: one of them holds the records. */
async function refuseObject(texts: AsyncGenerator<string>, format: Format, length: number): Promise<never> {
  const advice = adviseLists(await listsIn(texts));
  if (advice !== undefined) throw new BrokenFileError(advice.key, advice.values);
  if (length > MAX_RECORD_LENGTH) throw tooLong(1);
  throw new BrokenFileError(format === "json" ? "refusals.no_array" : "refusals.one_line");
}

/** Refuses a file of one row: a text such as "Not Found" would be read as a header without records. */
async function* requireRows(rows: AsyncGenerator<unknown>): AsyncGenerator<unknown> {
  let count = 0;
  for await (const row of rows) {
    count += 1;
    yield row;
  }
  if (count > 0) return;
  throw new BrokenFileError("refusals.header_only", { list: EMPTY_LIST });
}

/** Reads up to the end of the first line that is not blank, without consuming it. */
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

/**
 * Decodes UTF-8, without its byte order mark.
 * @throws BrokenFileError for any other encoding, instead of importing wrong letters
 */
async function* decodeText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
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
    if (length === 0) throw new BrokenFileError("refusals.utf8_end");
    throw new BrokenFileError("refusals.utf8_between", { start, end: start + length });
  }
}

/** Tells UTF-16 by its byte order mark, or by the zero byte that ASCII letters have there. */
function refuseUtf16(chunk: Uint8Array): void {
  const [first, second] = chunk;
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (hasMark || first === 0 || second === 0) throw new BrokenFileError("refusals.utf16");
}
