import { pipeline, Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { BrokenFileError, MAX_RECORD_LENGTH, tooLong, Unreadable } from "./unreadable.ts";

const DELIMITERS = [",", ";", "\t"];

/**
 * The rows of a CSV file (RFC 4180) as objects by the names in its first row; columns without a name are left out. A
 * row with another number of cells is an unreadable record.
 * @param head the beginning of the text with at least its first line, to find the delimiter if none is given
 */
export async function* readCsv(
  texts: AsyncIterable<string>,
  head: string,
  delimiter = findDelimiter(head),
): AsyncGenerator<unknown> {
  let header: string[] | undefined;
  try {
    for await (const cells of parseRows(texts, delimiter)) {
      if (header === undefined) header = readHeader(cells);
      else yield toRecord(header, cells);
    }
  } catch (error) {
    throw error instanceof CsvError ? explain(error) : error;
  }
}

function parseRows(texts: AsyncIterable<string>, delimiter: string): AsyncIterable<string[]> {
  const parser = parse({
    delimiter,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD_LENGTH,
  });
  pipeline(Readable.from(texts), parser, () => undefined); // errors arrive through the parser, which is read
  return parser;
}

function readHeader(cells: string[]): string[] {
  const names = cells.map((cell) => cell.trim());
  const repeated = names.find((name, index) => name !== "" && names.indexOf(name) !== index);
  if (repeated !== undefined) throw new BrokenFileError(`the first row names the field "${repeated}" twice`);
  return names;
}

function toRecord(header: string[], cells: string[]): unknown {
  if (cells.length !== header.length) {
    return new Unreadable(`has ${cells.length} cells where the first row has ${header.length}`);
  }
  return Object.fromEntries(
    header.map((name, index) => [name, cells[index]]).filter(([name]) => name !== ""),
  );
}

/** The candidate most frequent in the first line, outside quotes. */
function findDelimiter(head: string): string {
  const [line = ""] = head.trimStart().split("\n", 1);
  const outside = line.replace(/"[^"]*"/g, "");
  const counts = DELIMITERS.map((delimiter) => outside.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ",";
}

/** The parser counts the first row too, so its count before the broken row is that row's record number. */
function explain(error: CsvError): BrokenFileError {
  const record = Number(error.records);
  if (error.code === "CSV_MAX_RECORD_SIZE") return tooLong(record);
  if (error.code !== "CSV_QUOTE_NOT_CLOSED") return new BrokenFileError(`record ${record}: ${error.message}`);
  return new BrokenFileError(`record ${record} has a quote without an end; is the file cut off?`);
}
