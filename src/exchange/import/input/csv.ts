import { type DecimalComma, findDecimalComma } from "../../../records/figures.ts";
import { lazyText } from "../../../words/i18n/lazy-text.ts";
import { listFirst } from "../../../words/text/cut.ts";
import { BrokenFileError, MAX_RECORD_LENGTH, tooLong, Unreadable } from "./unreadable.ts";

const DELIMITERS = [",", ";", "\t"];

const STRAY = new Unreadable("refusals.stray_quote", { written: '"24"" wheel"' });
const ENDLESS = new Unreadable("refusals.endless_quote");

type Warn = (warning: string) => void;

/** What Excel writes, and reads, as the first line: `sep=;`. */
const SEPARATOR = /^"?sep=([^"])"?$/i;

/** How much of a file is looked at to learn how its numbers are written. */
const SAMPLE = 65_536;

interface CsvOptions {
  readonly delimiter?: string | undefined;
  readonly warn?: Warn | undefined;
  /** Called before the first row of a file whose cells a semicolon separates, as only such numbers have decimal commas. */
  readonly onComma?: ((comma: DecimalComma) => void) | undefined;
}

/**
 * The rows of a CSV file (RFC 4180) as objects by the names in its first row; columns without a name are left out. A
 * row with another number of cells, or a stray quote, is an unreadable record. Between tabs, quotes are letters (IANA
 * text/tab-separated-values).
 * @param head the beginning of the text with at least its first line, to find the delimiter if none is given
 */
export async function* readCsv(
  texts: AsyncIterable<string>,
  head: string,
  { delimiter = findDelimiter(head), warn, onComma }: CsvOptions = {},
): AsyncGenerator<unknown> {
  const all = delimiter === ";" && onComma ? sample(texts, onComma) : texts;
  let header: string[] | undefined;
  let record = 0;
  const swallowed: number[] = [];
  let isFirst = true;
  for await (const row of readRows(all, delimiter)) {
    const isSeparator = isFirst && !(row instanceof Unreadable) && SEPARATOR.test(row.text);
    isFirst = false;
    if (isSeparator) continue;
    if (header === undefined) {
      header = readHeader(row);
      continue;
    }
    record += 1;
    if (!(row instanceof Unreadable) && looksSwallowed(row.text, delimiter, header.length))
      swallowed.push(record);
    yield row instanceof Unreadable ? row : toRecord(header, row.cells);
  }
  if (swallowed.length > 0) warn?.(warnOfSwallowed(swallowed));
}

/** The same texts, the first of them long enough to find the decimal mark in. */
async function* sample(texts: AsyncIterable<string>, onComma: (comma: DecimalComma) => void) {
  const findComma = (text: string) => onComma(findDecimalComma(text.slice(0, SAMPLE).split(/[;\r\n"]/)));
  let head: string | undefined = "";
  for await (const text of texts) {
    const next: string = (head ?? "") + text;
    if (head !== undefined) head = next;
    if (head !== undefined && head.length < SAMPLE) continue;
    if (head !== undefined) findComma(head);
    head = undefined;
    yield next;
  }
  if (head === undefined) return;
  findComma(head);
  yield head;
}

interface Row {
  readonly cells: string[];
  /** The row as the file has it. */
  readonly text: string;
}

/**
 * The rows that are not blank. After a row with a stray quote it continues at the next line, so an unclosed quote
 * loses no other rows.
 */
async function* readRows(texts: AsyncIterable<string>, delimiter: string): AsyncGenerator<Row | Unreadable> {
  let text = "";
  let count = 0;
  function* takeRows(isLast: boolean): Generator<Row | Unreadable> {
    let start = 0;
    for (;;) {
      const found = findRow({ text, delimiter, isLast }, start);
      if (!found) break;
      const { row, end } = found;
      if (end - start > MAX_RECORD_LENGTH) throw tooLongRow(count);
      start = end;
      if (!(row instanceof Unreadable) && row.text === "") continue;
      count += 1;
      yield row;
    }
    text = text.slice(start);
    if (text.length > MAX_RECORD_LENGTH) throw tooLongRow(count);
  }
  for await (const more of texts) {
    text += more;
    yield* takeRows(false);
  }
  yield* takeRows(true);
}

/** The first row names the fields, so a record has the number of rows before it. */
function tooLongRow(before: number): BrokenFileError {
  const reason = lazyText("refusals.long_row", { max: MAX_RECORD_LENGTH });
  return before === 0 ? new BrokenFileError("refusals.first_row", { reason }) : tooLong(before);
}

/** What has been read of a file; `isLast`: nothing follows. */
interface Input {
  readonly text: string;
  readonly delimiter: string;
  readonly isLast: boolean;
}

/** The row that begins at `start`, and where the next one does; undefined if its end has not been read. */
function findRow(input: Input, start: number): { row: Row | Unreadable; end: number } | undefined {
  const { text, delimiter } = input;
  const line = start < text.length ? findLineEnd(input, start) : undefined;
  if (!line) return undefined;
  const letters = text.slice(start, line.end);
  if (delimiter === "\t" || !letters.includes('"'))
    return { row: { cells: letters.split(delimiter), text: letters }, end: line.next };
  const found = findQuoted(input, start);
  if (found === undefined && text.length - start <= MAX_RECORD_LENGTH && !input.isLast) return undefined;
  if (found === "stray") return { row: STRAY, end: line.next };
  if (found === undefined || found.next - start > MAX_RECORD_LENGTH) return { row: ENDLESS, end: line.next };
  return { row: { cells: found.cells, text: text.slice(start, found.end) }, end: found.next };
}

const LINE_END = /\r\n|\n|\r/g;

function findLineEnd({ text, isLast }: Input, start: number): { end: number; next: number } | undefined {
  LINE_END.lastIndex = start;
  const match = LINE_END.exec(text);
  if (!match) return isLast ? { end: text.length, next: text.length } : undefined;
  const next = match.index + match[0].length;
  const mayGoOn = match[0] === "\r" && next === text.length && !isLast;
  return mayGoOn ? undefined : { end: match.index, next };
}

/** The cells of a row with quotes; undefined if its end has not been read. */
function findQuoted(input: Input, start: number) {
  const { text, delimiter, isLast } = input;
  const cells: string[] = [];
  for (let position = start; ; position += delimiter.length) {
    const isQuoted = text[position] === '"';
    const end = isQuoted ? findQuotedEnd(text, position) : findCellEnd(input, position);
    if (end === undefined) return undefined;
    const cell = text.slice(position, end);
    if (!isQuoted && cell.includes('"')) return "stray";
    cells.push(isQuoted ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    position = end;
    if (text.startsWith(delimiter, position)) continue;
    // The closing quote may turn out to be doubled.
    if (position === text.length && !isLast) return undefined;
    const line = findLineEnd(input, position);
    if (line === undefined && (text[position] ?? "\r") === "\r") return undefined;
    return line?.end === position ? { cells, end: position, next: line.next } : "stray";
  }
}

/** Where a cell in quotes ends; undefined if there is no closing quote. */
function findQuotedEnd(text: string, opening: number): number | undefined {
  let closing = text.indexOf('"', opening + 1);
  while (closing !== -1 && text[closing + 1] === '"') closing = text.indexOf('"', closing + 2);
  return closing === -1 ? undefined : closing + 1;
}

/** Where a cell without quotes ends; undefined if its end has not been read. */
function findCellEnd(input: Input, start: number): number | undefined {
  const next = input.text.indexOf(input.delimiter, start);
  // To look for the end of the line for each of many cells would take the square of their number.
  const isInLine = next !== -1 && !/[\r\n]/.test(input.text.slice(start, next));
  return isInLine ? next : findLineEnd(input, start)?.end;
}

/** @throws BrokenFileError where the names cannot be read */
function readHeader(row: Row | Unreadable): string[] {
  if (row instanceof Unreadable) throw new BrokenFileError("refusals.first_row", { reason: row.reason });
  const names = row.cells.map((cell) => cell.trim());
  const repeated = names.find((name, index) => name !== "" && names.indexOf(name) !== index);
  if (repeated !== undefined) throw new BrokenFileError("refusals.repeated_name", { name: repeated });
  return names;
}

function toRecord(header: string[], cells: string[]): unknown {
  if (cells.length !== header.length) {
    return new Unreadable("refusals.cells", { cells: cells.length, columns: header.length });
  }
  return Object.fromEntries(
    header.map((name, index) => [name, cells[index]]).filter(([name]) => name !== ""),
  );
}

/**
 * Whether each line of a row of several lines has as many cells as the file has columns. Two stray quotes make one row of
 * all that is between them, which is valid CSV.
 */
function looksSwallowed(text: string, delimiter: string, columns: number): boolean {
  const lines = text.split(/\r\n|\n|\r/);
  return lines.length > 1 && columns > 1 && lines.every((line) => line.split(delimiter).length === columns);
}

const NAMED_AT_MOST = 5;

function warnOfSwallowed(records: readonly number[]): string {
  const named = listFirst(records, NAMED_AT_MOST);
  const subject = records.length === 1 ? `record ${named} has` : `${records.length} records (${named}) have`;
  return `${subject} line ends in quotes, and each line looks like a row; is a quote there by mistake?`;
}

/** What the first line names, else the candidate most frequent in it outside quotes. */
function findDelimiter(head: string): string {
  const [line = ""] = head.trimStart().split(/[\r\n]/, 1);
  const named = SEPARATOR.exec(line)?.[1];
  if (named !== undefined) return named;
  const outside = line.replace(/"[^"]*"/g, "");
  const counts = DELIMITERS.map((delimiter) => outside.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ",";
}
