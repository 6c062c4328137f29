import { isTooDeep, LEVELS_AT_MOST, parseJson } from "../../../words/text/json.ts";
import { BrokenFileError, cutOff, MAX_RECORD_LENGTH, tooLong, Unreadable } from "./unreadable.ts";

const OUTSIDE_STRINGS = /["[\]{},]/g;
const INSIDE_STRINGS = /["\\]/g;

/**
 * The entries of a JSON array, each as soon as it has been read. The text is only cut at the commas between entries;
 * JSON.parse checks each entry, so an error names its record. An entry without an end is found by its length.
 * @param inObject the array is in an object, which continues after it
 * @throws BrokenFileError if the text is no JSON array, or ends too early
 */
export async function* readJsonArray(
  texts: AsyncIterable<string>,
  { inObject = false } = {},
): AsyncGenerator<unknown> {
  const cutter = createCutter(inObject);
  let record = 0;
  for await (const text of texts) {
    for (const entry of cutter.push(text)) yield withinLevels(parseEntry(entry, ++record));
    if (cutter.pendingLength() > MAX_RECORD_LENGTH) throw tooLong(record + 1);
  }
  if (!cutter.isComplete()) throw cutOff(record + 1);
}

function parseEntry(entry: string, record: number): unknown {
  if (entry.length > MAX_RECORD_LENGTH) throw tooLong(record);
  try {
    return parseJson(entry);
  } catch {
    throw new BrokenFileError(`record ${record} is not valid JSON`);
  }
}

function withinLevels(record: unknown): unknown {
  return isTooDeep(record) ? new Unreadable(`is nested deeper than ${LEVELS_AT_MOST} levels`) : record;
}

/** Cuts the text of an array into its entries; an entry missing beside a comma is an empty text. */
function createCutter(inObject: boolean) {
  let text = "";
  let position = 0;
  let depth = 0;
  let inString = false;
  let count = 0;
  let isComplete = false;
  let isClosed = !inObject;

  function push(more: string): string[] {
    text += more;
    const entries: string[] = [];
    for (let character = next(); character !== ""; character = next()) {
      if (isComplete && inObject) break;
      if (inString) {
        if (character === "\\") position++;
        else inString = false;
      } else if (depth === 0) {
        open(character);
      } else if (character === '"') inString = true;
      else if (character === "[" || character === "{") depth++;
      else close(character, entries);
    }
    if (depth === 0) requireBlank(text);
    if (isComplete && inObject) passOver();
    return entries;
  }

  /** The next character with a meaning. A position past the end belongs to an escaped character that is still to come. */
  function next(): string {
    const pattern = inString ? INSIDE_STRINGS : OUTSIDE_STRINGS;
    pattern.lastIndex = position;
    const match = position < text.length ? pattern.exec(text) : null;
    position = match ? match.index + 1 : Math.max(position, text.length);
    return match ? match[0] : "";
  }

  function open(character: string): void {
    requireBlank(take());
    if (character !== "[" || isComplete) requireBlank(character);
    depth = 1;
  }

  function close(character: string, entries: string[]): void {
    if (character !== ",") depth--;
    if (depth > 1 || (depth === 1 && character !== ",")) return;
    if (depth === 1 || character === "]") finishEntry(entries);
    else throw new BrokenFileError(`record ${count + 1} is not valid JSON`);
  }

  function finishEntry(entries: string[]): void {
    const entry = take();
    isComplete = depth === 0;
    if (isComplete && count === 0 && entry.trim() === "") return;
    count++;
    entries.push(entry);
  }

  /** The text between the last cut and the character just found. */
  function take(): string {
    const taken = text.slice(0, position - 1);
    text = text.slice(position);
    position = 0;
    return taken;
  }

  /** After the array only the end of the text matters: without the object's bracket, the file is cut off. */
  function passOver(): void {
    if (text.trim() !== "") isClosed = text.trimEnd().endsWith("}");
    text = "";
    position = 0;
  }

  function requireBlank(outside: string): void {
    if (outside.trim() === "" || (isComplete && inObject)) return;
    throw new BrokenFileError(
      isComplete ? "there is more after the end of the JSON array" : "this is no JSON array",
    );
  }

  return { push, isComplete: () => isComplete && isClosed, pendingLength: () => text.length };
}

/**
 * Reads one record a line, skipping blank lines. A line that is not JSON is an unreadable record. But the first such
 * line means another format, and one at the end without a line end means a truncated file.
 */
export async function* readNdjson(texts: AsyncIterable<string>): AsyncGenerator<unknown> {
  let record = 0;
  let rest = "";
  for await (const text of texts) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.trim() !== "") yield withinLevels(parseLine(line, ++record));
    }
    if (rest.length > MAX_RECORD_LENGTH) throw tooLong(record + 1);
  }
  if (rest.trim() === "") return;
  const last = parseLine(rest, ++record);
  if (last instanceof Unreadable) throw cutOff(record);
  yield withinLevels(last);
}

function parseLine(line: string, record: number): unknown {
  if (line.length > MAX_RECORD_LENGTH) throw tooLong(record);
  try {
    return parseJson(line);
  } catch {
    if (record > 1) return new Unreadable("is not valid JSON");
    throw new BrokenFileError(
      "record 1 is not JSON on one line; records of several lines need [ and ] around them all",
    );
  }
}
