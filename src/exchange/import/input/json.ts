import { type LazyText, lazyText } from "../../../words/i18n/lazy-text.ts";
import { isObject, isTooDeep, LEVELS_AT_MOST, parseJson } from "../../../words/text/json.ts";
import { BrokenFileError, cutOff, MAX_RECORD_LENGTH, prepend, tooLong, Unreadable } from "./unreadable.ts";

const OUTSIDE_STRINGS = /["[\]{}]|,/g;
const INSIDE_STRINGS = /["\\]/g;
/** Longer keys are ignored. */
const LONGEST_KEY = 200;
const LISTS_NAMED = 3;

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
    throw new BrokenFileError("refusals.record_json", { record });
  }
}

function withinLevels(record: unknown): unknown {
  return isTooDeep(record) ? new Unreadable("refusals.deep", { max: LEVELS_AT_MOST }) : record;
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
    else throw new BrokenFileError("refusals.record_json", { record: count + 1 });
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
    throw new BrokenFileError(isComplete ? "refusals.after_array" : "refusals.no_array");
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
    if (record > 1) return new Unreadable("refusals.json");
    throw new BrokenFileError("refusals.one_line");
  }
}

/**
 * The text from the list at a path of keys on: at `data.items` of `{"data":{"items":[…]}}`. What comes before is skipped.
 * @throws BrokenFileError if there is no such list, naming the lists there are, or more after the object
 */
export async function* findList(texts: AsyncGenerator<string>, path: string): AsyncGenerator<string> {
  const seeker = createSeeker(path);
  for (let next = await texts.next(); !next.done; next = await texts.next()) {
    const list = seeker.push(next.value);
    if (list !== undefined) return yield* refuseSecond(seeker, prepend([list], texts));
  }
  if (!seeker.isObject()) throw new BrokenFileError("refusals.no_object");
  if (!seeker.isOver()) throw cutOff(1);
  const advice = adviseLists(seeker.lists());
  if (advice === undefined) throw new BrokenFileError("refusals.no_list", { path });
  throw new BrokenFileError("refusals.no_list_but", { path, advice });
}

/** Pages of an API written one after the other are several objects: to read only the first would silently lose records. */
async function* refuseSecond(seeker: Seeker, texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const text of texts) {
    seeker.push(text);
    if (seeker.hasMore()) throw new BrokenFileError("refusals.second_object");
    yield text;
  }
}

/** The paths of the first lists in a text that is one object. */
export async function listsIn(texts: AsyncGenerator<string>): Promise<readonly string[]> {
  const seeker = createSeeker(undefined);
  for await (const text of texts) seeker.push(text);
  return seeker.lists();
}

/**
 * Passes records on. If there was only one, `lists` are the paths of lists of objects in it, and `advice` explains how to
 * read them.
 */
export function watchForLists(records: AsyncIterable<unknown>) {
  let count = 0;
  let first: unknown;
  async function* pass(): AsyncGenerator<unknown> {
    for await (const record of records) {
      count += 1;
      if (count === 1) first = record;
      yield record;
    }
  }
  const lists = () => (count === 1 ? listsOfObjects(first) : []);
  return { records: pass(), lists, advice: () => adviseLists(lists()) };
}

function listsOfObjects(record: unknown, keys: readonly string[] = []): string[] {
  if (Array.isArray(record)) return typeof record[0] === "object" ? [keys.join(".")] : [];
  if (!isObject(record)) return [];
  return Object.entries(record).flatMap(([key, value]) => listsOfObjects(value, [...keys, key]));
}

/** How to read records from a list in the file; undefined if it has no list. */
export function adviseLists(paths: readonly string[]): LazyText | undefined {
  if (paths.length === 0) return undefined;
  const options = paths
    .slice(0, LISTS_NAMED)
    .map((path) => (/^[\w.-]+$/.test(path) ? path : JSON.stringify(path)))
    .map((path) => lazyText("refusals.list_option", { path }))
    .reduce((first, second) => lazyText("refusals.either", { first, second }));
  return lazyText(paths.length === 1 ? "refusals.list_inside" : "refusals.lists_inside", { options });
}

type Seeker = ReturnType<typeof createSeeker>;

/** Reads the text of an object bracket by bracket, and keeps the keys that lead to the current place. */
function createSeeker(sought: string | undefined) {
  const keys: string[] = [];
  const lists: string[] = [];
  let kind: "unknown" | "object" | "other" = "unknown";
  let openLists = 0;
  let isFound = false;
  let isOver = false;
  let hasMore = false;
  let inString = false;
  let isEscaped = false;
  let letters = "";
  /** The last string read: a key, if a bracket follows. */
  let key = "";

  /** The text from the bracket of the sought list on, once it is met. */
  function push(text: string): string | undefined {
    const first = text.trimStart().charAt(0);
    if (kind === "unknown" && first !== "") kind = first === "{" ? "object" : "other";
    if (kind !== "object") return undefined;
    let position = 0;
    while (position < text.length) {
      if (isOver) {
        hasMore ||= text.slice(position).trim() !== "";
        return undefined;
      }
      if (isEscaped) {
        letters += text[position];
        isEscaped = false;
        position += 1;
        continue;
      }
      const pattern = inString ? INSIDE_STRINGS : OUTSIDE_STRINGS;
      pattern.lastIndex = position;
      const match = pattern.exec(text);
      const end = match?.index ?? text.length;
      if (inString && letters.length <= LONGEST_KEY) letters += text.slice(position, end);
      position = end + 1;
      if (match && take(match[0])) return text.slice(end);
    }
    return undefined;
  }

  /** True at the bracket of the sought list. */
  function take(token: string): boolean {
    if (token === "\\") {
      letters += token;
      isEscaped = true;
    } else if (token === '"') {
      key = inString ? readKey(letters) : key;
      letters = "";
      inString = !inString;
    } else if (token === "[" && noteList()) return true;
    else if (token === "{" || token === "[") open(token);
    else close(token);
    return false;
  }

  /** Lists within lists have no path. */
  function noteList(): boolean {
    const path = [...keys.slice(1), key].join(".");
    if (isFound || openLists > 0 || key === "") return false;
    if (lists.length < LISTS_NAMED) lists.push(path);
    isFound = path === sought;
    return isFound;
  }

  function open(bracket: string): void {
    if (bracket === "[") openLists += 1;
    keys.push(key);
    key = "";
  }

  function close(token: string): void {
    key = "";
    if (token === ",") return;
    keys.pop();
    isOver = keys.length === 0;
    if (token === "]") openLists -= 1;
  }

  return {
    push,
    lists: () => lists,
    isObject: () => kind === "object",
    isOver: () => isOver,
    hasMore: () => hasMore,
  };
}

function readKey(letters: string): string {
  try {
    return letters.length > LONGEST_KEY ? "" : JSON.parse(`"${letters}"`);
  } catch {
    return "";
  }
}
